import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../sandbox/outcomes/outcome.ts'
import type { Flow } from '../../server/client/shapes.ts'
import type { Role } from '../drive/tested-personas.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import { type SeenRun, seeRun } from '../learn/see-run.ts'
import type { Worker } from '../trials/audit-run.ts'
import { findDelivery } from '../trials/rows/row-delivery.ts'
import { learnedFlowOf } from '../trials/rows/row-finding.ts'
import { planRow, type RowSettings } from '../trials/rows/row-plan.ts'

/** A flow to run under each variant. */
export interface TriedFlow {
  readonly row: AuditRow
  readonly role: Role
  /** The name in reports: `use/verified as minor`. */
  readonly name: string
}

export const flowOf = (row: AuditRow, role: Role): TriedFlow => ({
  row,
  role,
  name: `${rowId(row)} as ${role}`,
})

/**
 * The flows in which the service gives right answers: an adult, a denial and a minor in Use, then
 * Create and Upgrade if the app uses them.
 */
export function goodFlowsOf({ create, upgrade }: LearnedApp): readonly TriedFlow[] {
  const find = (role: Role, ...ids: readonly string[]) =>
    ids.flatMap((id) => findRow(id) ?? []).map((row) => flowOf(row, role))
  const flows = [
    ...find('adult', 'use/verified', 'use/access_denied'),
    ...find('minor', 'use/verified'),
  ]
  if (create.kind === 'learned')
    flows.push(...find('newcomer', 'create/created', 'create/access_denied'))
  if (upgrade.kind === 'learned') flows.push(...find('minor', 'use/code_issued'))
  return flows
}

/** The result of one run of a flow. */
export interface ShownFlow {
  readonly flow: TriedFlow
  readonly seen: SeenRun
  /** The flows of the run in the journal, newest first. */
  readonly flows: readonly Flow[]
  /** Whether the app received the answer. */
  readonly isDelivered: boolean
}

/** Maximum number of flows in the journal that may belong to one run. */
const MAX_FLOWS = 100

/** Runs a flow once. No other run may use the tenant at the same time. */
export async function runFlow(
  flow: TriedFlow,
  { sandbox, driver }: Pick<Worker, 'sandbox' | 'driver'>,
  settings: RowSettings,
): Promise<ShownFlow> {
  const { row, role } = flow
  const { learned } = settings
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  const run = await driver.run(planRow(row, settings).plan(learned.personas[role]))
  const { missing } = await findDelivery(row, run, sandbox)
  const flows = await sandbox.flows.list({
    audit: 'also',
    ...(newest && { after: newest.id }),
    limit: MAX_FLOWS,
  })
  const seen = await seeRun(run, learnedFlowOf(row, learned) ?? learned.use, driver)
  return { flow, seen, flows, isDelivered: missing === undefined }
}
