import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import type { Flow } from '../../client/shapes/flow.ts'
import { messageOf } from '../../files/caught.ts'
import { found } from '../../files/describe-issue.ts'
import type { AuditedCheck, AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import { VERIFICATIONS } from '../../sandbox/outcomes/report/checks-of.ts'
import { createExchange, isFailure } from '../agent/exchange.ts'
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

/** A copy of the app, and the flows of its sandbox whose answer it accepted. */
export interface AskedApp {
  readonly sandbox: SandboxApi
  readonly ask: AppQuestion
  readonly flows: readonly string[]
}

/**
 * Asks each copy of an app for the `sub` of each id_token that the flows sent to it unchanged, and that says yes to an age. A `sub`
 * that the app never received must not be found.
 * @param age the age that the app lets users in from; `any` takes a yes to one threshold, `every` a yes to all of them
 */
export async function findVerifications(
  copies: readonly AskedApp[],
  age: number | 'any' | 'every',
): Promise<FoundAgain> {
  const missing: MissingVerification[] = []
  let total = 0
  const undetermined = (evidence: string): FoundAgain => ({
    ...{ verdict: 'undetermined', evidence, found: 0, total, missing: [] },
  })
  for (const { sandbox, ask, flows } of copies) {
    const received = (await Promise.all(flows.map((id) => sandbox.flows.get(id)))).flatMap((flow) => subOf(flow, age))
    const [first] = received
    if (!first) continue
    total += received.length
    const control = await ask(randomBytes(Buffer.from(first.sub, 'base64url').length).toString('base64url'))
    if (control === 'found') return undetermined(FINDS_ALL)
    if (!control.isAnswer) return undetermined(`your app could not be asked for a sub: ${control.reason}`)
    for (const { flow, sub } of received) {
      const asked = await ask(sub)
      if (asked !== 'found') missing.push({ flow, sub, reason: asked.reason })
    }
  }
  if (total === 0) return undetermined('your app received no id_token unchanged that says yes to an age')
  const counts = { found: total - missing.length, total, missing }
  const [lost] = missing
  const evidence = `your app found ${counts.found} of ${total} verifications that it let a user in by`
  if (!lost) return { verdict: 'holds', evidence, ...counts }
  return { verdict: 'missing', evidence: `${evidence}; ${lost.flow}: ${lost.reason}`, ...counts }
}

const FINDS_ALL =
  'your app also finds a sub that it never received, so that its yes proves nothing; let it answer 404, or without the sub, for one that it does not know'

/** What `--find` comes to, as a check of the report. */
export const checkOfFound = ({ verdict, evidence, missing }: FoundAgain): AuditedCheck => ({
  check: VERIFICATIONS,
  title: 'verifications can be found again',
  verdict,
  ...(verdict === 'undetermined' && { reason: evidence }),
  flow: 'use',
  level: 'should',
  severity: 4,
  rule: 'The sub of each id_token that lets a user in is kept, and leads to that user.',
  harm: 'When an age signal is revoked, nobody knows which users were let in by it.',
  evidence,
  rows: [],
  flows: missing.slice(0, 1).map(({ flow }) => flow),
  refs: ['specification, "ID token claims"'],
  cwe: ['CWE-778'],
  counted: true,
})

/** As many as a journal keeps. */
export const MAX_FLOWS = 2_000

/**
 * The flows of an audit whose right answers an app took: those of its accepted rows, and the good ones between rows.
 * @param after the flow before the audit
 */
export async function goodFlows(
  { flows }: SandboxApi,
  { rows, after }: Pick<AuditReport, 'rows'> & { after: string | undefined },
): Promise<readonly string[]> {
  const good = await flows.list({ audit: 'only', flow: 'use', after, limit: MAX_FLOWS })
  const isOf = (id: string, accepted: boolean) =>
    rows.some((row) => (row.verdict === 'accepted') === accepted && row.flows.includes(id))
  return good.flatMap(({ id, outcome }) => (isOf(id, true) || (outcome === 'verified' && !isOf(id, false)) ? [id] : []))
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
function subOf({ id, flow, calls, outcome, client_id: client = '' }: Flow, age: number | 'any' | 'every') {
  const row = outcome === undefined ? undefined : findOutcome('use', outcome)
  if (flow !== 'use' || (row && row.correctClient !== 'accept')) return []
  const nonce = calls.find(({ endpoint }) => endpoint === 'E1')?.parameters['nonce']
  const claims = calls.flatMap(({ status, response }) => (status < 400 ? (claimsIn(response) ?? []) : []))[0]
  if (!claims || ![claims.aud].flat().includes(client) || (nonce !== undefined && claims.nonce !== nonce)) return []
  const answers = typeof age === 'number' ? [claims.age_thresholds[age]] : Object.values(claims.age_thresholds)
  const isYes = age === 'every' ? !answers.includes(false) : answers.includes(true)
  return isYes ? [{ flow: id, sub: claims.sub }] : []
}

/** A redirect, or a page whose form posts the answer to the app. */
const responseSchema = z
  .object({ location: z.string().default(''), params: z.record(z.string(), z.string()).default({}) })
  .catch({ location: '', params: {} })

function claimsIn(response: unknown): z.output<typeof idTokenSchema> | undefined {
  const { location, params } = responseSchema.parse(response)
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

/** Asks by HTTP. A redirect is not followed: the page behind it is often a sign-in. A `sub` has no character to escape. */
export function askByHttp(
  { method = 'GET', url, form, json, headers }: AppRequest,
  { timeoutSeconds = 10, ca }: { timeoutSeconds?: number | undefined; ca?: string | undefined } = {},
): AppQuestion {
  const exchange = createExchange({ ca })
  return async (sub) => {
    const text = json === undefined ? undefined : JSON.stringify(json).replaceAll(SUB, sub)
    const filled = Object.entries(form ?? {}).map(([name, value]) => [name, value.replaceAll(SUB, sub)] as const)
    const type = text === undefined ? 'application/x-www-form-urlencoded' : 'application/json'
    const body = text ?? (form && String(new URLSearchParams(Object.fromEntries(filled))))
    const sent = {
      accept: 'application/json, text/html;q=0.9, */*;q=0.8',
      'user-agent': 'agekey-sandbox audit',
      ...(body !== undefined && { 'content-type': type }),
      ...headers,
    }
    const deadline = startDeadline(timeoutSeconds)
    const request = { method, url: new URL(url.replaceAll(SUB, encodeURIComponent(sub))), headers: sent, body }
    const answer = await exchange(request, deadline.signal).finally(deadline.clear)
    if (isFailure(answer)) return couldNotAsk(answer.problem)
    const { status, headers: replied } = answer
    const said = `it answered ${status}`
    if (status === 404 || status === 410) return no(said)
    if (status === 401 || status === 403)
      return couldNotAsk(`${said}: it wants a sign-in, or a token; give it as a header`)
    // The path alone: a query may hold what is secret.
    const place = replied['location']?.split(/[?#]/, 1)[0]?.slice(0, 200)
    if (status < 200 || status >= 300)
      return couldNotAsk(status >= 300 && status < 400 ? `${said} and leads to ${place}` : said)
    if (answer.text.includes(sub)) return 'found'
    return no(answer.text.trim() === '' ? `${said} without a body` : `its ${status} does not hold the sub`)
  }
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
