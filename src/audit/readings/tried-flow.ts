import type { Flow } from '../../client/shapes/flow.ts'
import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Role } from '../drive/cast.ts'
import { describeErrors } from '../learn/describe-errors.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { SeenRun } from '../learn/learned-flow.ts'
import { sentenceOf } from '../learn/observation.ts'
import { readRun, seeRun } from '../learn/read-run.ts'
import type { AuditOptions } from '../options.ts'
import { planRow } from '../trials/plan-row.ts'
import { findFlow, flowOfPage, isDelivered } from '../trials/row-trial.ts'
import type { Finding, Stage } from '../trials/trial.ts'

/** A flow that the app is driven through under each reading. */
export interface TriedFlow {
  readonly row: Outcome
  readonly role: Role
  /** `use/verified as minor` */
  readonly name: string
}

/** What one run of it showed. */
export interface ShownFlow {
  readonly flow: TriedFlow
  readonly seen: SeenRun
  /** The row was sent to the app. */
  readonly isDelivered: boolean
  /** What the journal has of it, newest first. */
  readonly flows: readonly Flow[]
}

export interface FlowSettings {
  readonly learned: LearnedApp
  readonly pages: Pick<AuditOptions, 'create' | 'upgrade'>
}

function flowOf(id: string, role: Role): readonly TriedFlow[] {
  const row = findRow(id)
  return row ? [{ row, role, name: `${id} as ${role}` }] : []
}

/** The flows that end as they should: an adult comes in, a minor and a denial do not, and what else the app uses. */
export const goodFlowsOf = ({ create, upgrade }: LearnedApp): readonly TriedFlow[] => [
  ...flowOf('use/verified', 'adult'),
  ...flowOf('use/verified', 'minor'),
  ...flowOf('use/access_denied', 'adult'),
  ...(create.kind === 'learned' ? flowOf('create/created', 'newcomer') : []),
  ...(create.kind === 'learned' ? flowOf('create/access_denied', 'newcomer') : []),
  ...(upgrade.kind === 'learned' ? flowOf('use/code_issued', 'minor') : []),
]

/** The flows in which a row is sent. */
export const flowsOfRow = (row: Outcome, { learned, pages }: FlowSettings): readonly TriedFlow[] =>
  planRow(row, { profile: learned.profile, pages }).roles.flatMap((role) => flowOf(rowId(row), role))

/** So many flows of the journal may belong to one run. */
const MAX_FLOWS = 100

/** Drives the app through a flow once. No other run is under way on its tenant. */
export async function runFlow(
  flow: TriedFlow,
  { sandbox, driver, cast }: Pick<Stage, 'sandbox' | 'driver' | 'cast'>,
  { learned, pages }: FlowSettings,
): Promise<ShownFlow> {
  const { row, role } = flow
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  return cast.as(role, async (persona) => {
    const run = await driver.run(planRow(row, { profile: learned.profile, pages }).plan(persona))
    const known = await findFlow(row, run, sandbox)
    const flows = await sandbox.flows.list({ audit: 'also', ...(newest && { after: newest.id }), limit: MAX_FLOWS })
    const seen = await seeRun(run, lastFlowOf(row, learned), driver)
    return { flow, seen, flows, isDelivered: known !== undefined && isDelivered(row, run, known) }
  })
}

/** The flow that the last page belongs to: after a code an app goes on to Upgrade. */
function lastFlowOf(row: Outcome, learned: LearnedApp) {
  const name = rowId(row) === 'use/code_issued' ? 'upgrade' : flowOfPage(row)
  const later = name === 'use' ? undefined : learned[name]
  return later?.kind === 'learned' ? later.flow : learned.use
}

/** A call that fails ends a later flow before it began: then the page is one of Use. */
function read({ flow, seen }: ShownFlow, learned: LearnedApp) {
  const own = readRun(seen, lastFlowOf(flow.row, learned)).says
  return own === 'unknown' ? readRun(seen, learned.use).says : own
}

/** A page that says neither yes nor no is the usual one when it has so much of it. */
const ALIKE = 0.9

/**
 * Compares two runs of one flow: a yes has to be a yes, a no has to be a no, and each call that usually succeeds has to.
 * A crash and a page that does not come are never as usual, unless they are what the app usually shows.
 */
export function compareFlows(usual: ShownFlow, shown: ShownFlow, learned: LearnedApp): Finding {
  const [{ observation: before }, { observation }] = [usual.seen.run, shown.seen.run]
  const [saysUsually, says] = [read(usual, learned), read(shown, learned)]
  const seen = sentenceOf(observation)
  const instead = `${seen}; usually ${sentenceOf(before).replace(/^your app showed /, 'it shows ')}`
  const found = (verdict: Finding['verdict'], evidence: string, more: Partial<Finding> = {}): Finding => {
    const flows = shown.flows.map(({ id }) => id).toReversed()
    return { verdict, evidence: `in ${shown.flow.name} ${evidence}`, flows, ...more }
  }
  if (observation.status === 429) {
    const reason = 'control_lost'
    return found('undetermined', 'your app answers 429; raise its limit for tests', { reason, isLimited: true })
  }
  const isHang = ['restless', 'redirects for ever', 'visit failed'].includes(observation.end)
  const isCrash = saysUsually !== 'broke' && (says === 'broke' || isHang)
  if (isCrash || (saysUsually === 'in' && says !== 'in')) return found('too strict', instead)
  if (saysUsually === 'out' && says === 'in') return found('too strict', `${seen}, as after a yes`)
  const answered = answeredIn(shown)
  const missing = answeredIn(usual).find((endpoint) => !answered.includes(endpoint))
  // There the user stays on a page of the service, and the app is not asked.
  const isEnded = observation.end === 'refused by the sandbox'
  if (missing !== undefined && !isEnded) return found('too strict', `${whatBecameOf(missing, shown)}; ${seen}`)
  const common = [...before.features].filter((one) => observation.features.has(one)).length
  const isAlike = before.status === observation.status && common > 0 && common >= ALIKE * before.features.size
  if (isEnded || isAlike || (says === saysUsually && says !== 'unknown')) return found('accepted', 'it ended as usual')
  const evidence = `${seen}, which is neither the yes nor the no that was learned`
  return found('undetermined', evidence, { reason: 'page_unknown' })
}

/** The endpoints that gave the app, or its browser, what was asked for. */
const answeredIn = ({ flows }: ShownFlow): readonly string[] =>
  flows.flatMap(({ calls }) => calls.flatMap((one) => (one.status > 0 && one.status < 400 ? one.endpoint : [])))

function whatBecameOf(endpoint: string, { flows }: ShownFlow): string {
  const refused = flows.flatMap(({ calls }) => calls).find((call) => call.endpoint === endpoint && call.status >= 400)
  if (!refused) return `your app made no call of ${endpoint}, which it usually makes`
  return `the service refused ${endpoint} of your app with ${refused.status} (${describeErrors([refused])})`
}
