import type { Flow } from '../../client/shapes/flow.ts'
import { findRow, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { Cast, Role } from '../drive/cast.ts'
import type { Driver } from '../drive/driver.ts'
import { findFlow, flowOfPage, isDelivered, type Readers, readAs } from '../judge/judge-run.ts'
import type { LearnedApp } from '../learn/learn-app.ts'
import type { Observation } from '../learn/observation.ts'
import type { Reading as PageReading } from '../learn/signature.ts'
import type { AuditOptions } from '../options.ts'
import { planRow } from '../plan/plan-row.ts'

/** A flow that the app is driven through under each reading. */
export interface TriedFlow {
  readonly row: Outcome
  readonly role: Role
  /** `use/verified as minor` */
  readonly name: string
}

/** What one run of it showed. */
export interface ShownFlow {
  readonly page: PageReading
  readonly observation: Observation
  /** The endpoints that gave the app, or its browser, what was asked for. */
  readonly answered: ReadonlySet<string>
  /** The row was sent to the app. */
  readonly isDelivered: boolean
  /** What the journal has of it. */
  readonly flows: readonly Flow[]
  /** Of the Use request of the app. */
  readonly parameters: Readonly<Record<string, string>>
}

/** A running app, and the tenant that it uses. */
export interface Stage {
  readonly readers: Readers
  readonly driver: Driver
  readonly cast: Cast
}

export interface FlowSettings {
  readonly learned: LearnedApp
  readonly pages: Pick<AuditOptions, 'create' | 'upgrade'>
}

const flowOf = (id: string, role: Role): readonly TriedFlow[] => {
  const row = findRow(id)
  return row ? [{ row, role, name: `${id} as ${role}` }] : []
}

/** The flows that end as they should: an adult comes in, a minor and a denial do not, and what else the app uses. */
export function goodFlowsOf({ create, upgrade }: LearnedApp): readonly TriedFlow[] {
  return [
    ...flowOf('use/verified', 'adult'),
    ...flowOf('use/verified', 'minor'),
    ...flowOf('use/access_denied', 'adult'),
    ...(create.kind === 'learned' ? ['create/created', 'create/access_denied'] : []).flatMap((id) =>
      flowOf(id, 'newcomer'),
    ),
    ...(upgrade.kind === 'learned' ? flowOf('use/code_issued', 'minor') : []),
  ]
}

/** The flows in which a row is sent. */
export const flowsOfRow = (row: Outcome, { learned, pages }: FlowSettings): readonly TriedFlow[] =>
  planRow(row, { profile: learned.use.profile, pages }).roles.flatMap((role) => flowOf(rowId(row), role))

/** So many flows of the journal may belong to one run. */
const MAX_FLOWS = 100

/** Drives the app through a flow once. No other run is under way on its tenant. */
export async function runFlow(
  { row, role }: TriedFlow,
  { readers, driver, cast }: Stage,
  { learned, pages }: FlowSettings,
): Promise<ShownFlow> {
  const { sandbox } = readers
  const { plan } = planRow(row, { profile: learned.use.profile, pages })
  const [newest] = await sandbox.flows.list({ audit: 'also', limit: 1 })
  return cast.as(role, async (persona) => {
    const run = await driver.run(plan(persona))
    const flow = await findFlow(row, run, sandbox)
    const flows = await sandbox.flows.list({ audit: 'also', ...(newest && { after: newest.id }), limit: MAX_FLOWS })
    const last = lastFlowOf(row)
    const asLast = await readAs(last, run, readers)
    return {
      page: asLast === 'unknown' && last !== 'use' ? await readAs('use', run, readers) : asLast,
      observation: run.observation,
      answered: new Set(
        flows.flatMap(({ calls }) =>
          calls.filter(({ status }) => status > 0 && status < 400).map((one) => one.endpoint),
        ),
      ),
      isDelivered: flow !== undefined && isDelivered(row, run, flow),
      flows,
      parameters: run.request?.parameters ?? {},
    }
  })
}

/** The flow that the last page belongs to: after these endings an app goes on. */
function lastFlowOf(row: Outcome): 'use' | 'create' | 'upgrade' {
  switch (rowId(row)) {
    case 'use/code_issued':
      return 'upgrade'
    case 'use/create_requested':
      return 'create'
    default:
      return flowOfPage(row)
  }
}
