import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Flow } from '../../client/shapes/flow.ts'
import { messageOf } from '../../files/caught.ts'
import { found } from '../../files/describe-issue.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import { createExchange, type HttpAnswer, isFailure } from '../agent/exchange.ts'
import { startDeadline } from '../drive/deadline.ts'
import { SUB } from './settings.ts'

/** Whether an app finds the verifications again that it let users in by, as it has to when an age signal is revoked. */
export interface FoundAgain {
  /** `undetermined` when nothing could be shown: `evidence` says why. */
  readonly verdict: 'holds' | 'missing' | 'undetermined'
  /** A sentence. */
  readonly evidence: string
  readonly found: number
  readonly total: number
  readonly missing: readonly MissingVerification[]
}

export interface MissingVerification {
  /** `f12` */
  readonly flow: string
  readonly sub: string
  readonly reason: string
}

/** Why an app does not know a `sub`, or could not be asked; `found` when it knows it. */
type Asked = 'found' | { readonly reason: string; readonly isAnswer: boolean }

/** Asks the app whether it knows a `sub`. It never rejects. */
export type AppQuestion = (sub: string) => Promise<Asked>

/**
 * Asks an app for the `sub` of each id_token that the flows sent to it unchanged, and that says yes to an age. A `sub` that the app
 * never received must not be found.
 * @param options.age the age that the app lets users in from; any age when absent
 */
export async function findVerifications(
  sandbox: SandboxApi,
  ask: AppQuestion,
  { flows, age }: { flows: readonly string[]; age?: number | undefined },
): Promise<FoundAgain> {
  const received = (await Promise.all(flows.map((id) => sandbox.flows.get(id)))).flatMap((flow) => subOf(flow, age))
  const undetermined = (evidence: string): FoundAgain => ({
    ...{ verdict: 'undetermined', evidence, found: 0, total: received.length, missing: [] },
  })
  const [first] = received
  if (!first) return undetermined('your app received no id_token unchanged that says yes to an age')
  const control = await ask(randomBytes(Buffer.from(first.sub, 'base64url').length).toString('base64url'))
  if (control === 'found')
    return undetermined(
      'your app also finds a sub that it never received, so that its yes proves nothing; let it answer 404, or without the sub, for one that it does not know',
    )
  if (!control.isAnswer) return undetermined(`your app could not be asked for a sub: ${control.reason}`)
  const missing: MissingVerification[] = []
  for (const { flow, sub } of received) {
    const asked = await ask(sub)
    if (asked !== 'found') missing.push({ flow, sub, reason: asked.reason })
  }
  const total = received.length
  const counts = { found: total - missing.length, total, missing }
  const [lost] = missing
  const evidence = `your app found ${counts.found} of ${total} verifications that it let a user in by`
  if (!lost) return { verdict: 'holds', evidence, ...counts }
  return { verdict: 'missing', evidence: `${evidence}; ${lost.flow}: ${lost.reason}`, ...counts }
}

/** What an id_token says, as far as it is read here. Nothing is verified: it comes from the sandbox. */
const idTokenSchema = z.object({
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  nonce: z.unknown(),
  age_thresholds: z.record(z.string(), z.boolean()),
})

/**
 * The id_token that the browser brought to the app as the service made it, or unusual and right, when it lets a user in. The token is
 * looked at beside the outcome, because a forced answer to a later call takes the place of the outcome of its flow.
 */
function subOf(
  { id, flow, calls, outcome, client_id: client }: Flow,
  age: number | undefined,
): { flow: string; sub: string }[] {
  const row = outcome === undefined ? undefined : findOutcome('use', outcome)
  if (flow !== 'use' || (row && row.correctClient !== 'accept')) return []
  const nonce = calls.find(({ endpoint }) => endpoint === 'E1')?.parameters['nonce']
  const claims = calls
    .flatMap(({ status, response }) => (status < 400 ? [claimsIn(response)] : []))
    .find((read) => read !== undefined)
  if (!claims || ![claims.aud].flat().includes(client ?? '') || (nonce !== undefined && claims.nonce !== nonce))
    return []
  const { age_thresholds: answers, sub } = claims
  const saysYes = age === undefined ? Object.values(answers).includes(true) : answers[age] === true
  return saysYes ? [{ flow: id, sub }] : []
}

/** A redirect, or a page whose form posts the answer to the app. */
const responseSchema = z.object({
  location: z.string().default(''),
  params: z.record(z.string(), z.string()).default({}),
})

function claimsIn(response: unknown): z.output<typeof idTokenSchema> | undefined {
  const { location, params } = responseSchema.catch({ location: '', params: {} }).parse(response)
  const [, query] = /[?#](.*)/.exec(location) ?? []
  const token = params['id_token'] ?? new URLSearchParams(query?.replaceAll('#', '&')).get('id_token')
  try {
    return idTokenSchema.parse(JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()))
  } catch {
    return undefined
  }
}

const no = (reason: string): Asked => ({ reason, isAnswer: true })
const couldNotAsk = (reason: string): Asked => ({ reason, isAnswer: false })

/** A request by which an app says whether it knows a `sub`; the answer has to mention it. `{sub}` stands for it. */
export interface AppRequest {
  readonly method?: 'GET' | 'POST'
  readonly url: string
  readonly form?: Readonly<Record<string, string>> | undefined
  readonly json?: unknown
  /** By names in lower case. Their values are never reported. */
  readonly headers: Readonly<Record<string, string>>
}

const TIMEOUT_SECONDS = 10

/** Asks by HTTP. A redirect is not followed: the page behind it is often a sign-in. */
export function askByHttp(
  { method = 'GET', url, form, json, headers }: AppRequest,
  { timeoutSeconds = TIMEOUT_SECONDS, ca }: { timeoutSeconds?: number | undefined; ca?: string | undefined } = {},
): AppQuestion {
  const exchange = createExchange({ ca })
  return async (sub) => {
    // A sub of the sandbox has no character that JSON would escape.
    const text = json === undefined ? undefined : JSON.stringify(json).replaceAll(SUB, sub)
    const fields = form && Object.entries(form).map(([name, value]) => [name, value.replaceAll(SUB, sub)])
    const type = text === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
    const body = text ?? (fields && String(new URLSearchParams(fields)))
    const sent = {
      accept: 'application/json, text/html;q=0.9, */*;q=0.8',
      'user-agent': 'agekey-sandbox audit',
      ...(body !== undefined && { 'content-type': type }),
      ...headers,
    }
    const deadline = startDeadline(timeoutSeconds)
    const request = { method, url: new URL(url.replaceAll(SUB, encodeURIComponent(sub))), headers: sent, body }
    const answer = await exchange(request, deadline.signal).finally(deadline.clear)
    return isFailure(answer) ? couldNotAsk(answer.problem) : read(answer, sub)
  }
}

/** What an answer says. A `sub` of the sandbox has no character that JSON, HTML or an address would escape. */
function read({ status, header, text }: HttpAnswer, sub: string): Asked {
  if (status === 404 || status === 410) return no(`it answered ${status}`)
  if (status === 401 || status === 403)
    return couldNotAsk(`it answered ${status}: it wants a sign-in, or a token; give it as a header`)
  if (status >= 300 && status < 400)
    // The path alone: a query may hold what is secret.
    return couldNotAsk(`it answered ${status} and leads to ${header('location')?.split(/[?#]/, 1)[0]?.slice(0, 200)}`)
  if (status < 200 || status >= 300) return couldNotAsk(`it answered ${status}`)
  if (text.includes(sub)) return 'found'
  return no(text.trim() === '' ? `it answered ${status} without a body` : `its ${status} does not hold the sub`)
}

/** Says whether an app knows a `sub`. */
export type FindFunction = (sub: string) => boolean | Promise<boolean>

/** Asks by a function of a test suite. */
export function askByFunction(find: FindFunction): AppQuestion {
  return async (sub) => {
    try {
      const known: unknown = await find(sub)
      if (typeof known !== 'boolean') return couldNotAsk(`find must return true or false, ${found(known)}`)
      return known ? 'found' : no('find returned false')
    } catch (error) {
      return couldNotAsk(`find threw ${JSON.stringify(messageOf(error))}`)
    }
  }
}
