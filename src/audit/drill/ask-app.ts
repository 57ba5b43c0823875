import { messageOf } from '../../files/caught.ts'
import { found } from '../../files/describe-issue.ts'
import { createExchange, type HttpAnswer, isFailure, MAX_PAGE_BYTES } from '../agent/exchange.ts'
import { startDeadline } from '../drive/deadline.ts'

/** What an app said about one `sub`. */
export type Asked =
  | { readonly state: 'found' }
  | { readonly state: 'not_found' | 'could_not_ask'; readonly reason: string }

/** Asks the app whether it knows a verification. It never rejects. */
export interface AppQuestion {
  /** How, for a report. */
  readonly title: string
  ask(sub: string): Promise<Asked>
}

/** Stands for the `sub` in the address, the form and the JSON of a question. */
export const SUB = '{sub}'

/** A request by which an app says whether it knows a `sub`; the answer has to mention it. */
export interface AppRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly form?: Readonly<Record<string, string>> | undefined
  readonly json?: unknown
  /** Their values are never reported. */
  readonly headers: Readonly<Record<string, string>>
}

/** Asks by HTTP. A redirect is not followed: the page behind it is often a sign-in. */
export function askByHttp(request: AppRequest, { timeoutSeconds }: { timeoutSeconds: number }): AppQuestion {
  const exchange = createExchange()
  return {
    title: `${request.method} ${request.url}`,
    async ask(sub) {
      const deadline = startDeadline(timeoutSeconds)
      const answer = await exchange(withSub(request, sub), deadline.signal)
      deadline.clear()
      return isFailure(answer) ? couldNotAsk(answer.problem) : judge(answer, sub)
    },
  }
}

function withSub({ method, url, form, json, headers }: AppRequest, sub: string) {
  const body =
    form === undefined
      ? json !== undefined && { type: 'application/json', text: JSON.stringify(filled(json, sub)) }
      : { type: 'application/x-www-form-urlencoded', text: String(new URLSearchParams(formOf(form, sub))) }
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    method,
    url: new URL(url.replaceAll(SUB, encodeURIComponent(sub))),
    headers: {
      accept: 'application/json, text/html;q=0.9, */*;q=0.8',
      'user-agent': 'agekey-sandbox drill',
      ...(body && { 'content-type': body.type }),
      ...given,
    },
    body: body ? body.text : undefined,
  }
}

const formOf = (form: Readonly<Record<string, string>>, sub: string) =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, value.replaceAll(SUB, sub)]))

/** A value of JSON with the `sub` in its texts. */
const filled = (json: unknown, sub: string): unknown =>
  JSON.parse(JSON.stringify(json), (_name, value) => (typeof value === 'string' ? value.replaceAll(SUB, sub) : value))

/** What an answer says. A `sub` of the sandbox has no character that JSON, HTML or an address would escape. */
function judge({ status, header, text }: HttpAnswer, sub: string): Asked {
  if (status === 404 || status === 410) return notFound(`it answered ${status}`)
  if (status === 401 || status === 403)
    return couldNotAsk(`it answered ${status}: it wants a sign-in, or a token; give it as a header`)
  if (status >= 300 && status < 400)
    return couldNotAsk(`it answered ${status} and leads ${placeOf(header('location'))}`)
  if (status < 200 || status >= 300) return couldNotAsk(`it answered ${status}`)
  if (text.includes(sub)) return { state: 'found' }
  if (Buffer.byteLength(text) >= MAX_PAGE_BYTES)
    return couldNotAsk(`its answer is longer than ${MAX_PAGE_BYTES} bytes, and the first ones do not hold the sub`)
  return notFound(text.trim() === '' ? `it answered ${status} without a body` : `its ${status} does not hold the sub`)
}

/** The path alone: a query may hold what is secret. */
const placeOf = (location: string | undefined): string =>
  location === undefined ? 'nowhere' : `to ${location.split(/[?#]/, 1)[0]?.slice(0, 200)}`

const notFound = (reason: string): Asked => ({ state: 'not_found', reason })
const couldNotAsk = (reason: string): Asked => ({ state: 'could_not_ask', reason })

/** Says whether an app knows a `sub`. */
export type FindFunction = (sub: string) => boolean | Promise<boolean>

/** Asks by a function of a test suite. */
export const askByFunction = (find: FindFunction): AppQuestion => ({
  title: 'find',
  async ask(sub) {
    try {
      const known: unknown = await find(sub)
      if (typeof known !== 'boolean') return couldNotAsk(`find must return true or false, ${found(known)}`)
      return known ? { state: 'found' } : notFound('find returned false')
    } catch (error) {
      return couldNotAsk(`find threw ${JSON.stringify(messageOf(error))}`)
    }
  },
})
