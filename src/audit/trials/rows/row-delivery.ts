import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import type { SandboxApi } from '../../../server/client/sandbox-api.ts'
import type { Flow } from '../../../server/client/shapes.ts'
import type { FlowRun } from '../../drive/flow-run.ts'
import type { Reason } from '../../report/audit-report.ts'
import { hasCall, traceOf } from './flow-traces.ts'

export interface Delivery {
  /** The flow in the journal that the row belongs to; `undefined` if the journal has none. */
  readonly known: Flow | undefined
  /** Why it is unknown whether the app received the row; absent if the app received the row. */
  readonly missing?: Reason
}

/** Finds out from the journal whether the app received the row. */
export async function findDelivery(
  row: AuditRow,
  run: FlowRun,
  sandbox: SandboxApi,
): Promise<Delivery> {
  const known = await findFlow(row, run, sandbox)
  if (known && isSent(row, run, known)) return { known }
  return { known, missing: whyMissing(run, known) }
}

async function findFlow(
  { flow }: AuditRow,
  { useFlow, createFlow }: FlowRun,
  sandbox: SandboxApi,
): Promise<Flow | undefined> {
  const id = flow === 'create' ? createFlow : useFlow
  if (flow !== 'par' && id !== undefined) return sandbox.flows.get(id)
  if (flow !== 'par') return undefined
  // A request to E3 with an unknown request_uri begins a flow of its own, so search for E2.
  const begun = { audit: 'also', flow: 'create', ...(useFlow && { after: useFlow }) } as const
  return (await sandbox.flows.list(begun)).find((one) => hasCall(one, 'E2'))
}

function isSent(row: AuditRow, { isLaterMet, brought }: FlowRun, known: Flow): boolean {
  const { sentBy } = traceOf(row.flow)
  if (sentBy === 'E1' || sentBy === 'E3') return known.outcome === row.name && brought[sentBy]
  return isLaterMet === true && hasCall(known, sentBy)
}

function whyMissing({ observation, isLaterMet }: FlowRun, known: Flow | undefined): Reason {
  if (observation.end === 'visit failed') return 'visit_failed'
  if (observation.end === 'timed_out') return 'timed_out'
  return known && isLaterMet !== false ? 'not_delivered' : 'not_reached'
}
