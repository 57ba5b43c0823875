import { randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import * as z from 'zod'
import { messageOf } from '../../sandbox/files/caught.ts'
import { findOutcome } from '../../sandbox/outcomes/catalogue.ts'
import { createExchangeWithin } from '../../server/client/exchange.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import type { Flow } from '../../server/client/shapes.ts'
import { found } from '../../service/text/message-parts.ts'
import { onwardTo, USER_AGENT } from '../agent/onward.ts'
import type { AppCopies } from '../drive/driver.ts'
import type { AuditedCheck, AuditReport } from '../report/audit-report.ts'
import type { AppQuestion } from './page-requests.ts'
import type { AuditPlan } from './plan.ts'
import { SUB } from './settings/settings.ts'

/**
 * Whether an app finds the verifications of the users that it let in, as it must when an age signal
 * is revoked.
 */
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

/** `found`, or why the app does not know a `sub` or could not be asked. */
type Asked = 'found' | { readonly reason: string; readonly isAnswer: boolean }

/** The minimum age of an app, or whether `any` or `every` threshold must have a yes. */
type Age = number | 'any' | 'every'

/**
 * Asks each copy of an app for the `sub` of each unchanged id_token that says yes to an age, in
 * flows whose answer the app accepted. A `sub` that the app never received must not be found.
 */
export async function findVerifications(
  copies: readonly {
    sandbox: SandboxApi
    ask: (sub: string) => Promise<Asked>
    flows: readonly string[]
  }[],
  age: Age,
): Promise<FoundAgain> {
  const missing: MissingVerification[] = []
  let total = 0
  const undetermined = (evidence: string) =>
    ({ verdict: 'undetermined', evidence, found: 0, total, missing: [] }) as const
  for (const { sandbox, ask, flows } of copies) {
    const received = (await Promise.all(flows.map((id) => sandbox.flows.get(id)))).flatMap((flow) =>
      subOf(flow, age),
    )
    const [first] = received
    if (!first) continue
    total += received.length
    const control = await ask(
      randomBytes(Buffer.from(first.sub, 'base64url').length).toString('base64url'),
    )
    if (control === 'found') return undetermined(FINDS_ALL)
    if (!control.isAnswer)
      return undetermined(`your app could not be asked for a sub: ${control.reason}`)
    for (const { flow, sub } of received) {
      const asked = await ask(sub)
      if (asked !== 'found') missing.push({ flow, sub, reason: asked.reason })
    }
  }
  if (total === 0)
    return undetermined('your app received no id_token unchanged that says yes to an age')
  const found = total - missing.length
  const [lost] = missing
  const evidence = `your app found ${found} of ${total} verifications that it let a user in by`
  const why = lost ? `; ${lost.flow}: ${lost.reason}` : ''
  return { verdict: lost ? 'missing' : 'holds', evidence: evidence + why, found, total, missing }
}

const FINDS_ALL =
  'your app also finds a sub that it never received, so that its yes proves nothing; let it answer 404, or without the sub, for one that it does not know'

/** As many as a journal keeps. */
export const MAX_FLOWS = 2_000

/**
 * Prepares `--find` before the audit.
 * @returns a function that asks, after the audit, for the right answers that each copy of the app
 * accepted; `undefined` without `--find`
 */
export async function prepareFind(
  { copies }: AppCopies,
  { question, settings }: AuditPlan,
  ca: string | undefined,
): Promise<((rows: AuditReport['rows']) => Promise<AuditedCheck>) | undefined> {
  if (!question) return undefined
  const asked = await Promise.all(
    copies.map(async ({ sandbox, page }) => {
      const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
      return {
        sandbox,
        after: newest?.id,
        ask: askByHttp(question, { page, timeoutSeconds: settings.timeout, ca }),
      }
    }),
  )
  return async (rows) => {
    const good = new Set(
      rows.flatMap(({ verdict, flows }) => (verdict === 'accepted' ? flows : [])),
    )
    const others = new Set(
      rows.flatMap(({ verdict, flows }) => (verdict === 'accepted' ? [] : flows)),
    )
    const received = asked.map(async ({ after, ...copy }) => {
      const flows = await copy.sandbox.flows.list({
        audit: 'only',
        flow: 'use',
        after,
        limit: MAX_FLOWS,
      })
      const taken = flows.filter(
        ({ id, outcome }) => good.has(id) || (outcome === 'verified' && !others.has(id)),
      )
      return { ...copy, flows: taken.map(({ id }) => id) }
    })
    const { verdict, evidence, missing } = await findVerifications(
      await Promise.all(received),
      settings.age ?? 'every',
    )
    return {
      check: 'verifications',
      title: 'verifications can be found again',
      verdict,
      evidence,
      ...(verdict === 'undetermined' && { reason: evidence }),
      flow: 'use',
      level: 'should',
      severity: 4,
      rule: 'The sub of each id_token that lets a user in is kept, and leads to that user.',
      harm: 'When an age signal is revoked, nobody knows which users were let in by it.',
      rows: [],
      flows: missing.slice(0, 1).map(({ flow }) => flow),
      refs: ['specification, "ID token claims"'],
      cwe: ['CWE-778'],
      counted: true,
    }
  }
}

/** Members of an id_token. The token comes from the sandbox, so that nothing is verified. */
const idTokenSchema = z.object({
  sub: z.string().min(1),
  age_thresholds: z.record(z.string(), z.boolean()),
})

/** The `sub` in a right answer of a flow, which a redirect or a posted form delivers to the app. */
function subOf({ id, flow, calls }: Flow, age: Age) {
  // The outcome of the flow may be that of a later call, so that each call is compared.
  const rows = calls.map(({ decision }) => findOutcome('use', decision?.outcome ?? ''))
  if (flow !== 'use' || rows.some((row) => row && row.correctClient !== 'accept')) return []
  const responses = JSON.stringify(calls.map(({ response }) => response))
  const [, token] = /[?&#"]id_token(?:=|":")([\w.-]+)/.exec(responses) ?? []
  const claims = token === undefined ? undefined : idTokenSchema.safeParse(decodeJwt(token)).data
  if (!claims) return []
  const answers =
    typeof age === 'number' ? [claims.age_thresholds[age]] : Object.values(claims.age_thresholds)
  const isYes = age === 'every' ? !answers.includes(false) : answers.includes(true)
  return isYes ? [{ flow: id, sub: claims.sub }] : []
}

/** Asks by HTTP; the answer must contain the `sub`. A redirect often leads to a sign-in page. */
export function askByHttp(
  question: AppQuestion,
  {
    page,
    timeoutSeconds = 10,
    ca,
  }: { page: string; timeoutSeconds?: number | undefined; ca?: string | undefined },
) {
  const exchange = createExchangeWithin(timeoutSeconds, { ca })
  return async (sub: string): Promise<Asked> => {
    // A sub has no character to escape.
    const asked: AppQuestion = JSON.parse(JSON.stringify(question).replaceAll(SUB, sub))
    const { method, url, body } = onwardTo({ ...asked, url: new URL(asked.url, page).href })
    const type = body && { 'content-type': body.type }
    const headers = { accept: '*/*', 'user-agent': USER_AGENT, ...type, ...asked.headers }
    const answer = await exchange({ method, url, headers, body: body?.text })
    if (answer.failure) return { reason: answer.failure.problem, isAnswer: false }
    const { status, text } = answer
    const isOk = status >= 200 && status < 300
    if (isOk && text.includes(sub)) return 'found'
    // Only the path: a query may hold secrets.
    const target = answer.headers['location']?.split(/[?#]/, 1)[0]?.slice(0, 200)
    let more = target ? ` and leads to ${target}` : ''
    if (isOk) more = ' without the sub'
    if (status === 401 || status === 403)
      more = ': it wants a sign-in, or a token; give it as a header'
    return {
      reason: `it answered ${status}${more}`,
      isAnswer: isOk || status === 404 || status === 410,
    }
  }
}

/** Asks whether an app knows a `sub`. */
export type FindFunction = (sub: string) => boolean | Promise<boolean>

export const askByFunction = (find: FindFunction) => async (sub: string) => {
  try {
    const known: unknown = await find(sub)
    if (known === true) return 'found'
    if (known === false) return { reason: 'find returned false', isAnswer: true }
    return { reason: `find must return true or false, ${found(known)}`, isAnswer: false }
  } catch (error) {
    return { reason: `find threw ${JSON.stringify(messageOf(error))}`, isAnswer: false }
  }
}
