import { createExchangeWithin } from '../../server/client/exchange.ts'
import { onwardTo, USER_AGENT } from '../agent/onward.ts'
import type { AppCopies } from '../drive/driver.ts'
import {
  type AskedCopy,
  type FindAnswer,
  type FoundAgain,
  findVerifications,
  MAX_FLOWS,
} from '../find-verifications.ts'
import type { AuditedCheck, AuditReport } from '../report/audit-report.ts'
import type { AppQuestion } from './page-requests.ts'
import type { AuditPlan } from './plan.ts'
import { SUB } from './settings/settings.ts'

type Rows = AuditReport['rows']

/** A copy of the app, and the state of its journal before the audit. */
interface PreparedCopy extends Omit<AskedCopy, 'flows'> {
  /** Id of the newest flow before the audit. */
  readonly after: string | undefined
}

/**
 * Prepares `--find`. Call it before the audit.
 * @returns a function to call after the audit: it asks each copy of the app for the right answers
 * that the copy accepted; `undefined` without `--find`
 */
export async function prepareFind(
  { copies }: AppCopies,
  { question, settings }: AuditPlan,
  ca: string | undefined,
): Promise<((rows: Rows) => Promise<AuditedCheck>) | undefined> {
  if (!question) return undefined
  const prepared = await Promise.all(
    copies.map(async ({ sandbox, page }): Promise<PreparedCopy> => {
      const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
      const ask = askByHttp(question, { page, timeoutSeconds: settings.timeout, ca })
      return { sandbox, after: newest?.id, ask }
    }),
  )
  return async (rows) => {
    const asked = await Promise.all(prepared.map((copy) => withAccepted(copy, rows)))
    return checkOf(await findVerifications(asked, settings.age ?? 'every'))
  }
}

/** Adds the flows of this audit whose right answer the app accepted. */
async function withAccepted({ after, ...copy }: PreparedCopy, rows: Rows): Promise<AskedCopy> {
  const good = flowsOf(rows.filter(({ verdict }) => verdict === 'accepted'))
  const others = flowsOf(rows.filter(({ verdict }) => verdict !== 'accepted'))
  const flows = await copy.sandbox.flows.list({
    audit: 'only',
    flow: 'use',
    after,
    limit: MAX_FLOWS,
  })
  const accepted = flows.filter(
    ({ id, outcome }) => good.has(id) || (outcome === 'verified' && !others.has(id)),
  )
  return { ...copy, flows: accepted.map(({ id }) => id) }
}

const flowsOf = (rows: Rows): ReadonlySet<string> => new Set(rows.flatMap(({ flows }) => flows))

const checkOf = ({ verdict, evidence, missing }: FoundAgain): AuditedCheck => ({
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
})

/**
 * Asks by HTTP. The app knows a `sub` if it answers 2xx with the `sub` in the body; a redirect does
 * not count, because it often leads to a sign-in page.
 * @param options.page the page of the app, against which the path is resolved
 * @param options.ca a certificate to trust, as PEM
 */
export function askByHttp(
  question: AppQuestion,
  {
    page,
    timeoutSeconds = 10,
    ca,
  }: { page: string; timeoutSeconds?: number | undefined; ca?: string | undefined },
) {
  const exchange = createExchangeWithin(timeoutSeconds, { ca })
  return async (sub: string): Promise<FindAnswer> => {
    // A sub is base64url, so no character needs escaping.
    const asked: AppQuestion = JSON.parse(JSON.stringify(question).replaceAll(SUB, sub))
    const { method, url, body } = onwardTo({ ...asked, url: new URL(asked.url, page).href })
    const type = body && { 'content-type': body.type }
    const headers = { accept: '*/*', 'user-agent': USER_AGENT, ...type, ...asked.headers }
    const answer = await exchange({ method, url, headers, body: body?.text })
    if (answer.failure) return { reason: answer.failure.problem, isAnswer: false }
    const { status, text } = answer
    const isOk = status >= 200 && status < 300
    if (isOk && text.includes(sub)) return 'found'
    // Only the path, because a query may contain secrets.
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
