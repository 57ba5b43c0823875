import type { ConsoleFrame } from '../../http/console-page.ts'
import { breakable, renderAnswers, renderInstant, shortened } from '../../http/html/elements.ts'
import { renderFindingList } from '../../http/html/finding-list.ts'
import { type Html, html } from '../../http/html/html.ts'
import { translate } from '../../http/html/messages.ts'
import type { Finding } from '../../oidc/rules/finding.ts'
import type { CallRecord } from '../../sandbox/journal/call-record.ts'
import { isForced, outcomeOf, summarizeFlow } from '../../sandbox/journal/explain-flow.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import type { PageClock } from './flow-time.ts'
import { overdue, renderStatusMark } from './status-mark.ts'
import { renderTrace } from './trace.ts'

const VERDICTS = {
  accept: { mark: 'yes', text: 'accepts it' },
  refuse: { mark: 'no', text: 'refuses it' },
  depends: { mark: 'none', text: 'can tell only with more context than this flow' },
} as const

/** The beginning of a summary behind the mark of its status. */
const SAID_BY_MARK = /^(?:forced: |(?:pushed: )?waits )/

/** Answers of one flow: a request may name a hundred ages, and the id_token below shows all. */
const MAX_ANSWERS = 24

/** The reasons of the answer: the summary, the broken rules or the deciding checks, the outcome. */
export function renderWhy(flow: Flow, { frame, clock }: { frame: ConsoleFrame; clock: PageClock }): Html {
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

/** `E1 was refused: 2 rules are broken`; the rules follow below. */
function refusalTitle(refused: readonly CallRecord[]): string {
  const count = refused.flatMap(({ findings }) => findings.filter(isError)).length
  const endpoints = [...new Set(refused.map(({ endpoint }) => endpoint))].join(', ')
  return `${endpoints} ${refused.length === 1 ? 'was' : 'were'} refused: ${count === 1 ? '1 rule is' : `${count} rules are`} broken`
}

function factsOf(flow: Flow, consolePath: string): readonly (readonly [term: string, value: Html | undefined])[] {
  const { persona, client_id: clientId, state, outcome, decided_by: decidedBy, ended_at: endedAt, readings } = flow
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
    ['Readings', code(readings?.join(', '))],
    ['Client', code(clientId)],
    ['state', code(state)],
    ['Ended', endedAt === undefined ? undefined : renderInstant(endedAt)],
  ]
}
