import { contains } from '../http/form.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS } from '../sandbox/outcomes/outcome.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'
import { renderOutcomes } from './outcomes-page.ts'

/** Outcomes on one page. */
const PAGE_SIZE = 60

/** `console/outcomes`: the catalogue. */
export const outcomesPage: ConsoleRoute = { name: 'outcomes', render: renderCatalogue }

function renderCatalogue({ frame, fields }: ConsoleCall): RenderedPage {
  const { flow = '', q = '' } = fields
  const outcomes = OUTCOMES.filter(
    (row) => (flow === '' || row.flow === flow) && contains(q, [row.name, row.summary, row.rule]),
  )
  const skipped = Math.max(0, Math.trunc(Number(fields['skip'] ?? 0))) || 0
  const end = skipped + PAGE_SIZE
  return renderOutcomes({
    ...frame,
    outcomes: outcomes.slice(skipped, end),
    total: outcomes.length,
    nextPath: end < outcomes.length ? `?${new URLSearchParams({ flow, q, skip: String(end) }).toString()}` : undefined,
    flows: OUTCOME_FLOWS,
    filter: { flow, q },
  })
}
