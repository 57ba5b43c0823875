import type * as z from 'zod'
import { startDeadline } from '../../client/deadline.ts'
import { createExchange, type ExchangeOptions, type HttpAnswer, type HttpRequest } from '../../client/exchange.ts'
import { parseJson } from '../../oidc/request/json.ts'

/** Makes an HTTP call without following redirects. `fetch` can neither trust a certificate nor set `Host`. */
export interface HttpCall extends Partial<Pick<HttpRequest, 'method' | 'headers' | 'body'>>, ExchangeOptions {
  readonly timeoutMs: number
}

/** @throws Error of Node with its code; `TimeoutError` when the whole answer took longer than `timeoutMs` */
export async function callHttp(url: string, call: HttpCall): Promise<HttpAnswer> {
  const { timeoutMs, method = 'GET', headers = {}, body, ...trust } = call
  const { signal, clear } = startDeadline(timeoutMs / 1000)
  const answer = await createExchange(trust)({ method, url: new URL(url), headers, body }, signal).finally(clear)
  if (!answer.failure) return answer
  const { end, problem, cause } = answer.failure
  throw end === 'timed_out' ? new DOMException(problem, 'TimeoutError') : (cause ?? new Error(problem))
}

/** The JSON of an answer, parsed by a schema; `undefined` for anything else. */
export function readJson<Schema extends z.ZodType>({ text }: HttpAnswer, schema: Schema): z.output<Schema> | undefined {
  const json = parseJson(text)
  return json.ok ? schema.safeParse(json.value).data : undefined
}
