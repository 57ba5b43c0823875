import type { CallRecord } from '../../../sandbox/journal/call-record.ts'
import { isForced, outcomeOf, summarizeFlow } from '../../../sandbox/journal/explain-flow.ts'
import type { Flow } from '../../../sandbox/journal/journal.ts'
import type { ConsoleFrame } from '../../../server/http/console-page.ts'
import {
  breakable,
  renderAnswers,
  renderInstant,
  renderTable,
  shortened,
} from '../../../server/http/html/elements.ts'
import { renderFindingList } from '../../../server/http/html/finding-list.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import { translate } from '../../../server/http/html/messages.ts'
import { absentFilter } from '../../../service/age/filters.ts'
import type { Check, SignalTrace, ThresholdTrace } from '../../../service/age/trace.ts'
import type { Finding } from '../../../service/oidc/rules/finding.ts'
import { overdue, type PageClock, renderStatusMark } from './flow-table.ts'

const VERDICTS = {
  accept: { mark: 'yes', text: 'accepts it' },
  refuse: { mark: 'no', text: 'refuses it' },
  depends: { mark: 'none', text: 'can tell only with more context than this flow' },
} as const

/** The beginning of a summary that the status mark already says. */
const SAID_BY_MARK = /^(?:forced: |(?:pushed: )?waits )/

/**
 * Maximum number of answers shown. A request may name a hundred ages; the id_token below shows all.
 */
const MAX_ANSWERS = 24

/**
 * Renders the reasons of an answer: the summary, the broken rules or the deciding checks, the
 * outcome.
 */
export function renderWhy(
  flow: Flow,
  { frame, clock }: { frame: ConsoleFrame; clock: PageClock },
): Html {
  const { status, summary } = overdue(flow, clock) ?? summarizeFlow(flow)
  const { trace = [], age_thresholds: answers = {} } = flow
  const refused = flow.calls.filter(({ findings }) => findings.some(isError))
  const outcome = outcomeOf(flow)
  return html`<section class="card why-flow ${status}" aria-labelledby="why-title" data-preview>
<h2 id="why-title">${renderStatusMark(flow, status)} ${refused.length > 0 ? refusalTitle(refused) : breakable(shortened(summary.replace(SAID_BY_MARK, ''), 1_000))}</h2>
${refused.map(({ findings }) => renderFindingList(findings.filter(isError), translate('en')))}
${trace.length > 0 ? renderTrace(trace) : renderAnswers(answers, MAX_ANSWERS)}
${
  outcome !== undefined &&
  html`<p data-testid="verdict"><span class="mark ${VERDICTS[outcome.correctClient].mark}">${outcome.correctClient}</span> ${isForced(outcome) ? outcome.summary : `A correct client ${VERDICTS[outcome.correctClient].text}.`}</p>`
}
<dl class="settings">${factsOf(flow, frame.consolePath).map(([term, value]) => value && html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>
</section>`
}

const isError = ({ level }: Finding) => level === 'error'

/** The title above the broken rules: `E1 was refused: 2 rules are broken`. */
function refusalTitle(refused: readonly CallRecord[]): string {
  const count = refused.flatMap(({ findings }) => findings.filter(isError)).length
  const endpoints = [...new Set(refused.map(({ endpoint }) => endpoint))].join(', ')
  return `${endpoints} ${refused.length === 1 ? 'was' : 'were'} refused: ${count === 1 ? '1 rule is' : `${count} rules are`} broken`
}

function factsOf(
  flow: Flow,
  consolePath: string,
): readonly (readonly [term: string, value: Html | false])[] {
  const {
    persona,
    client_id: clientId,
    state,
    outcome,
    decided_by: decidedBy,
    ended_at: endedAt,
    readings,
  } = flow
  const link = `${consolePath}/personas#${persona}`
  const code = (text: string | undefined) =>
    text !== undefined && html`<code>${shortened(text, 200)}</code>`
  return [
    [
      'Persona',
      persona !== undefined &&
        html`<a class="target" href="${link}"><code>${shortened(persona, 100)}</code></a>`,
    ],
    ['Outcome', code(outcome)],
    ['Decided by', decidedBy !== undefined && html`${shortened(decidedBy, 300)}`],
    ['Readings', code(readings?.join(', '))],
    ['Client', code(clientId)],
    ['state', code(state)],
    ['Ended', endedAt !== undefined && renderInstant(endedAt)],
  ]
}

/** Maximum number of tables. There is one for each requested age and signal. */
const MAX_TABLES = 24

/**
 * Renders the trace of an evaluation: a line for each requested age with the deciding signal, and
 * the checks folded below it.
 */
function renderTrace(trace: readonly ThresholdTrace[]): Html {
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

/**
 * Words the reason of the deciding signal: the signal that passes, otherwise the one that fails the
 * fewest checks.
 */
function reasonOf(signals: readonly SignalTrace[]): string {
  const failures = ({ checks }: SignalTrace) => checks.filter(({ passed }) => !passed)
  const [decisive] = signals.toSorted((one, other) => failures(one).length - failures(other).length)
  if (!decisive) return 'the age key holds no signal'
  const [reason = decisive.checks.at(-1)] = failures(decisive)
  return `${decisive.method}: ${reason?.reason.replace(/ by age_thresholds\[\d+\]/, '') ?? 'no check was made'}`
}
