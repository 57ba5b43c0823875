import { type FlowFilter, isFlowId } from '../../sandbox/journal/journal.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { createPause } from '../../sandbox/take-turn.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'

/** How far the clocks of an audit and of its sandbox may differ. */
const TOLERANCE_MS = 15_000

/**
 * The flows of a report that are in the journal of a tenant. Every sandbox counts its flows from f1, so the id alone proves
 * nothing: the flow also began while the audit ran.
 */
export async function flowsInJournal(
  { started_at: startedAt, first_started_at: firstStartedAt = startedAt, seconds, rows, readings }: AuditReport,
  { journal, name }: Pick<Tenant, 'journal' | 'name'>,
): Promise<readonly string[]> {
  const ofReadings = readings ? [...readings.variants, ...readings.combinations.failed] : []
  const wanted = new Set([...rows, ...ofReadings].flatMap(({ flows }) => flows.filter(isFlowId)))
  const numbers = [...wanted].map((id) => Number(id.slice(1)))
  if (numbers.length === 0) return []
  const [least, greatest] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))]
  const begun = [firstStartedAt, readings?.started_at ?? firstStartedAt].map((instant) => Date.parse(instant))
  const ends = [{ started_at: startedAt, seconds }, ...(readings ? [readings] : [])]
  const from = Math.min(...begun) - TOLERANCE_MS
  const to = Math.max(...ends.map((one) => Date.parse(one.started_at) + one.seconds * 1000)) + TOLERANCE_MS
  const found: string[] = []
  const pause = createPause()
  const range: FlowFilter = { audit: 'also', before: `f${greatest + 1}`, ...(least > 1 && { after: `f${least - 1}` }) }
  for await (const { id, started_at: began } of journal.list(name, range)) {
    const at = Date.parse(began)
    if (wanted.has(id) && at >= from && at <= to) found.push(id)
    await pause()
  }
  return found
}
