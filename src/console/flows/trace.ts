import type { SignalTrace, ThresholdTrace } from '../../age/trace.ts'
import { renderTable } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'

/** Tables on one page: there is one for each requested age and signal. */
const MAX_TABLES = 24

/** The trace of an evaluation: a section for each requested age, a table of checks for each signal. */
export function renderTrace(trace: readonly ThresholdTrace[]): Html {
  const signals = Math.max(1, ...trace.map((threshold) => threshold.signals.length))
  const shown = trace.slice(0, Math.max(1, Math.floor(MAX_TABLES / signals)))
  return html`<section class="card" aria-labelledby="trace-title">
<h2 id="trace-title">Why the answers are what they are</h2>
<p class="muted">An age is reached when at least one signal of the age key passes every check.</p>
${shown.length < trace.length && html`<p class="hint">The first ${shown.length} of ${trace.length} ages.</p>`}
<div class="traces">
${shown.map(renderThreshold)}</div>
</section>`
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
  checks.map((check) => ({
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

/** The line beside the answer: the check that decided it. */
function reasonOf(signals: readonly SignalTrace[]): string {
  const passing = signals.find(({ passed }) => passed)
  if (passing) return `${passing.method} passes every check`
  const [first] = signals
  if (!first) return 'the age key holds no signal'
  const failed = first.checks.find(({ passed }) => !passed)
  return `${first.method}: ${failed?.reason ?? 'fails'}`
}
