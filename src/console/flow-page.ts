import { renderAnswers, renderInstant } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { type Html, html } from '../http/html/html.ts'
import { type IdTokenView, renderIdToken } from '../http/html/id-token-table.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { shortened } from '../http/html/shortened.ts'
import { type CallView, renderCalls } from './flow-calls.ts'
import { FLOW_TITLES } from './flows-page.ts'
import { renderTrace, type ThresholdTraceView } from './trace.ts'

/** The catalogue row of the outcome that the flow had. */
export interface OutcomeFacts {
  readonly name: string
  readonly summary: string
  /** What a correct relying party checks. */
  readonly rule: string
  readonly correctClient: 'accept' | 'refuse' | 'depends'
}

/** One flow with all there is to know of it. */
export interface FlowView extends ConsoleFrame {
  readonly id: string
  readonly flow: string
  readonly clientId?: string | undefined
  readonly state?: string | undefined
  readonly persona?: string | undefined
  readonly outcome?: OutcomeFacts | undefined
  /** ISO 8601, by the clock of the sandbox. */
  readonly startedAt: string
  readonly endedAt?: string | undefined
  readonly answers: Readonly<Record<string, boolean>>
  readonly calls: readonly CallView[]
  readonly idToken?: IdTokenView | undefined
  readonly trace: readonly ThresholdTraceView[]
  /** The flow in the control API. */
  readonly jsonPath: string
  /** What a correct client does now, a sentence each. */
  readonly next: readonly string[]
}

/** The page of one flow: decision, what comes next, calls, token and trace. */
export function renderFlow(view: FlowView): RenderedPage {
  return renderConsolePage(view, {
    title: `${FLOW_TITLES[view.flow] ?? view.flow} flow ${view.id}`,
    current: 'flows',
    lead: html`Began ${renderInstant(view.startedAt)}${view.endedAt === undefined ? ', waits for the user' : html`, ended ${renderInstant(view.endedAt)}`}, by the clock of the sandbox.`,
    scripts: ['copy.js', 'console-live.js'],
    body: html`<div class="live-region" id="flow" data-live data-events="${view.controlPath}/events" data-flow="${view.id}">
<div class="columns">
${renderDecision(view)}
${renderNext(view)}
</div>
${renderCalls(view.calls, view.jsonPath)}
${view.idToken !== undefined && renderIdToken(view.idToken)}
${view.trace.length > 0 && renderTrace(view.trace)}
</div>`,
  })
}

const VERDICTS = {
  accept: { mark: 'yes', text: 'accepts it' },
  refuse: { mark: 'no', text: 'refuses it' },
  depends: { mark: 'none', text: 'can tell only with more context than this flow' },
} as const

function renderDecision({ persona, outcome, clientId, state, answers, consolePath }: FlowView): Html {
  const rows = [
    [
      'Persona',
      persona === undefined
        ? undefined
        : html`<a class="target" href="${consolePath}/personas#${persona}">${persona}</a>`,
    ],
    ['Outcome', outcome === undefined ? undefined : html`<code>${outcome.name}</code>`],
    ['Client', clientId === undefined ? undefined : html`<code>${shortened(clientId, 200)}</code>`],
    ['state', state === undefined ? undefined : html`<code>${shortened(state, 200)}</code>`],
  ] as const
  return html`<section class="card" aria-labelledby="decision-title">
<h2 id="decision-title">Decision</h2>
<dl class="settings">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value ?? html`<span class="muted">none</span>`}</dd></div>`)}</dl>
${renderAnswers(answers)}
${
  outcome !== undefined &&
  html`<p>${outcome.summary}</p>
<p data-testid="verdict"><span class="mark ${VERDICTS[outcome.correctClient].mark}">${outcome.correctClient}</span> A correct client ${VERDICTS[outcome.correctClient].text}.</p>`
}
</section>`
}

function renderNext({ outcome, next }: FlowView): Html {
  return html`<section class="card" aria-labelledby="next-title">
<h2 id="next-title">What a correct client does next</h2>
${outcome !== undefined && html`<p class="notice">${outcome.rule}</p>`}
<ul class="steps" data-testid="next">${next.map((step) => html`<li>${step}</li>`)}</ul>
</section>`
}
