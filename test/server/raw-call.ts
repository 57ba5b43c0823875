import { callHttp, type HttpCall } from '../../src/cli/remote/reach-sandbox.ts'
import type { HttpAnswer } from '../../src/server/client/exchange.ts'

const TIMEOUT_MS = 10_000

/** A call whose `Host` header can be chosen, which `fetch` forbids. */
export const rawCall = (url: string, call: Partial<HttpCall> = {}): Promise<HttpAnswer> =>
  callHttp(url, { timeoutMs: TIMEOUT_MS, ...call })
