import type { Reason } from '../../sandbox/outcomes/audit-report.ts'
import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import type { Role } from '../drive/tested-personas.ts'
import { describeErrors } from '../learn/app-profile.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { sentenceOf } from '../learn/observation.ts'
import { readRun, seeRun } from '../learn/read-run.ts'
import { findDelivery, learnedFlowOf, planRow, type RowSettings, readSeen } from '../trials/row-trial.ts'
import type { Finding, Stage } from '../trials/trial.ts'

/** A flow that the app is driven through under each reading. */
export interface TriedFlow {
  readonly row: AuditRow
  readonly role: Role
  /** `use/verified as minor` */
  readonly name: string
}

/** What one run of a flow showed, and what the journal has of it, newest first. */
export type ShownFlow = Awaited<ReturnType<typeof runFlow>>

const flowOf = (row: AuditRow, role: Role): TriedFlow => ({ row, role, name: `${rowId(row)} as ${role}` })

/** The flows that end as they should: an adult comes in, a minor and a denial do not, and what else the app uses. */
export function goodFlowsOf({ create, upgrade }: LearnedApp): readonly TriedFlow[] {
  const find = (role: Role, ...ids: readonly string[]) =>
    ids.flatMap((id) => findRow(id) ?? []).map((row) => flowOf(row, role))
  return [
    ...find('adult', 'use/verified', 'use/access_denied'),
    ...find('minor', 'use/verified'),
    ...(create.kind === 'learned' ? find('newcomer', 'create/created', 'create/access_denied') : []),
    ...(upgrade.kind === 'learned' ? find('minor', 'use/code_issued') : []),
  ]
}

/** The flows in which a row is sent. */
export const flowsOfRow = (row: AuditRow, settings: RowSettings): readonly TriedFlow[] =>
  planRow(row, settings).roles.map((role) => flowOf(row, role))

/** So many flows of the journal may belong to one run. */
const MAX_FLOWS = 100

/** Drives the app through a flow once. No other run is under way on its tenant. */
export async function runFlow(
  flow: TriedFlow,
  { sandbox, driver }: Pick<Stage, 'sandbox' | 'driver'>,
  settings: RowSettings,
) {
  const { row, role } = flow
  const { learned } = settings
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  const run = await driver.run(planRow(row, settings).plan(learned.personas[role]))
  const { missing } = await findDelivery(row, run, sandbox)
  const flows = await sandbox.flows.list({ audit: 'also', ...(newest && { after: newest.id }), limit: MAX_FLOWS })
  const seen = await seeRun(run, learnedFlowOf(row, learned) ?? learned.use, driver)
  return { flow, seen, flows, isDelivered: missing === undefined }
}

function read({ flow, seen }: ShownFlow, learned: LearnedApp) {
  const { says } = readSeen(flow.row, seen, learned)
  return says === 'unknown' ? readRun(seen, learned.use).says : says
}

/** A page that says neither yes nor no is the usual one when it has so much of it. */
const ALIKE = 0.9

/**
 * Compares two runs of one flow: a yes has to be a yes, a no has to be a no, and each call that usually succeeds has to succeed.
 * Crashes and missing pages count against the app, unless the app usually shows them.
 */
export function compareFlows(usual: ShownFlow, shown: ShownFlow, learned: LearnedApp): Finding {
  const [{ observation: before }, { observation }] = [usual.seen.run, shown.seen.run]
  const [saysUsually, says] = [read(usual, learned), read(shown, learned)]
  const sentence = sentenceOf(observation)
  const flows = shown.flows.map(({ id }) => id).toReversed()
  const found = (verdict: Finding['verdict'], text: string, reason?: Reason): Finding => {
    const evidence = `in ${shown.flow.name} ${text}`
    return { verdict, reason, evidence, flows, isLimited: reason === 'control_lost' }
  }
  if (observation.status === 429)
    return found('undetermined', 'your app answers 429; raise its limit for tests', 'control_lost')
  const hasNoPage = ['restless', 'too_many_redirects', 'visit failed'].includes(observation.end)
  const isCrash = saysUsually !== 'broke' && (says === 'broke' || hasNoPage)
  if (isCrash || (saysUsually === 'in' && says !== 'in'))
    return found('too strict', `${sentence}; usually ${sentenceOf(before).replace(/^your app showed /, 'it shows ')}`)
  if (saysUsually === 'out' && says === 'in') return found('too strict', `${sentence}, as after a yes`)
  // On an error page of the service the user stays there, and the app is not asked.
  const isEnded = observation.end === 'sandbox_page'
  const missing = missingCall(usual, shown)
  if (missing !== undefined && !isEnded) return found('too strict', `${missing}; ${sentence}`)
  const common = [...before.features].filter((one) => observation.features.has(one)).length
  const isAlike = before.status === observation.status && common > 0 && common >= ALIKE * before.features.size
  if (isEnded || isAlike || (says === saysUsually && says !== 'unknown')) return found('accepted', 'it ended as usual')
  return found('undetermined', `${sentence}, which is neither the yes nor the no that was learned`, 'page_unknown')
}

/** What became of a call that usually succeeds, when it did not succeed. */
function missingCall(usual: ShownFlow, shown: ShownFlow): string | undefined {
  const callsOf = ({ flows }: ShownFlow) => flows.flatMap(({ calls }) => calls)
  const answered = (flow: ShownFlow) => callsOf(flow).filter(({ status }) => status > 0 && status < 400)
  const endpoints = answered(shown).map((call) => call.endpoint)
  const missing = answered(usual).find(({ endpoint }) => !endpoints.includes(endpoint))
  if (!missing) return undefined
  const refused = callsOf(shown).find(({ endpoint, status }) => endpoint === missing.endpoint && status >= 400)
  if (!refused) return `your app made no call of ${missing.endpoint}, which it usually makes`
  return `the service refused ${missing.endpoint} of your app with ${refused.status} (${describeErrors([refused])})`
}
