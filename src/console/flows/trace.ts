import { absentFilter } from '../../age/filters.ts'
import type { Check, SignalTrace, ThresholdTrace } from '../../age/trace.ts'
import { renderTable } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'

/** Tables on one page: one for each requested age and signal. */
const MAX_TABLES = 24

/** The trace of an evaluation: a line for each requested age with the signal that decided, and the checks folded below it. */
export function renderTrace(trace: readonly ThresholdTrace[]): Html {
  const signals = Math.max(1, ...trace.map((threshold) => threshold.signals.length))
  const shown = trace.slice(0, Math.max(1, Math.floor(MAX_TABLES / signals)))
  return html`<div class="traces" data-testid="trace">
${shown.map(renderThreshold)}</div>
${shown.length < trace.length && html`<p class="hint">The first ${shown.length} of ${trace.length} ages.</p>`}`
}

function renderThreshold({ threshold, satisfied, signals }: ThresholdTrace, index: number): Html {
  return html`<details class="why trace" id="trace-${index}">
<summary><strong>${threshold}</strong> <span class="mark ${satisfied ? 'yes' : 'no'}">${satisfied ? 'yes' : 'no'}</span> <span class="muted">${reasonOf(signals)}</span></summary>
${signals.slice(0, MAX_TABLES).map(
  ({
    method,
    passed,
    checks,
  }) => html`<h3><code>${method}</code> <span class="mark ${passed ? 'yes' : 'no'}">${passed ? 'passes' : 'fails'}</span></h3>
${renderTable(
  `Checks of ${method} for ${threshold}`,
  ['Check', 'Result', 'Reason'],
  checks.filter(isAskedFor).map((check) => ({
    cells: [
      html`<code>${check.filter}</code>`,
      html`<span class="mark ${check.passed ? 'yes' : 'no'}">${check.passed ? 'pass' : 'fail'}</span>`,
      check.reason,
    ],
  })),
)}
`,
)}</details>
`
}

const isAskedFor = ({ filter, reason }: Check) => reason !== absentFilter(filter)

/** The signal that decided: the one that passes, otherwise the one that fails the fewest checks. */
function reasonOf(signals: readonly SignalTrace[]): string {
  const failures = ({ checks }: SignalTrace) => checks.filter(({ passed }) => !passed)
  const [decisive] = signals.toSorted((one, other) => failures(one).length - failures(other).length)
  if (!decisive) return 'the age key holds no signal'
  const [reason = decisive.checks.at(-1)] = failures(decisive)
  return `${decisive.method}: ${reason?.reason.replace(/ by age_thresholds\[\d+\]/, '') ?? 'no check was made'}`
}
