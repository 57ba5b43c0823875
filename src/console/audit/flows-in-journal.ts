import { type FlowFilter, isFlowId } from '../../sandbox/journal/journal.ts'
import type { AuditReport } from '../../sandbox/outcomes/audit-report.ts'
import { judgedOf } from '../../sandbox/outcomes/report/points.ts'
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
  const wanted = new Set([...rows, ...judgedOf(readings)].flatMap(({ flows }) => flows.filter(isFlowId)))
  const numbers = [...wanted].map((id) => Number(id.slice(1)))
  if (numbers.length === 0) return []
  const [least, greatest] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))]
  const earliest = { started_at: firstStartedAt, seconds: 0 }
  const instants = [earliest, { started_at: startedAt, seconds }, ...(readings ? [readings] : [])].flatMap((one) => {
    const at = Date.parse(one.started_at)
    return [at, at + one.seconds * 1000]
  })
  const [from, to] = [Math.min(...instants) - TOLERANCE_MS, Math.max(...instants) + TOLERANCE_MS]
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
