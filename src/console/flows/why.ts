import type { ConsoleFrame } from '../../http/console-page.ts'
import { breakable, renderAnswers, renderInstant, shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { explainFlow, isForced, outcomeOf } from '../../sandbox/journal/explain-flow.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import type { PageClock } from './flow-time.ts'
import { overdue, renderStatusMark } from './status-mark.ts'

const VERDICTS = {
  accept: { mark: 'yes', text: 'accepts it' },
  refuse: { mark: 'no', text: 'refuses it' },
  depends: { mark: 'none', text: 'can tell only with more context than this flow' },
} as const

/** Answers of one flow: a request may name a hundred ages, and the id_token below has all. */
const MAX_ANSWERS = 24

/** Why the answer is what it is: the summary, what decided, the reasons, the outcome. */
export function renderWhy(flow: Flow, { frame, clock }: { frame: ConsoleFrame; clock: PageClock }): Html {
  const { status, summary, reasons } = { ...explainFlow(flow), ...overdue(flow, clock) }
  const lines = flow.decided_by === undefined ? reasons : reasons.slice(1)
  const outcome = outcomeOf(flow)
  return html`<section class="card why-flow ${status}" aria-labelledby="why-title" data-preview>
<h2 id="why-title">${renderStatusMark(flow, status)} ${breakable(shortened(summary, 1_000))}</h2>
${renderAnswers(flow.age_thresholds ?? {}, MAX_ANSWERS)}
${lines.length > 0 && html`<ul class="reasons" data-reasons>${lines.map((line) => html`<li>${line}</li>`)}</ul>`}
${
  outcome !== undefined &&
  html`<p data-testid="verdict"><span class="mark ${VERDICTS[outcome.correctClient].mark}">${outcome.correctClient}</span> A correct client ${VERDICTS[outcome.correctClient].text}.${isForced(outcome) && html` ${outcome.summary}`}</p>`
}
<dl class="settings">${factsOf(flow, frame.consolePath).map(([term, value]) => html`<div><dt>${term}</dt><dd>${value ?? html`<span class="muted">none</span>`}</dd></div>`)}</dl>
</section>`
}

function factsOf(flow: Flow, consolePath: string): readonly (readonly [term: string, value: Html | undefined])[] {
  const { persona, client_id: clientId, state, outcome, decided_by: decidedBy, ended_at: endedAt } = flow
  const code = (text: string | undefined) =>
    text === undefined ? undefined : html`<code>${shortened(text, 200)}</code>`
  return [
    [
      'Persona',
      persona === undefined
        ? undefined
        : html`<a class="target" href="${consolePath}/personas#${persona}"><code>${shortened(persona, 100)}</code></a>`,
    ],
    ['Outcome', code(outcome)],
    ['Decided by', decidedBy === undefined ? undefined : html`${shortened(decidedBy, 300)}`],
    ['Client', code(clientId)],
    ['state', code(state)],
    ['Ended', endedAt === undefined ? undefined : renderInstant(endedAt)],
  ]
}
