import { type ConsoleFrame, renderConsolePage } from '../../http/html/console-page.ts'
import { renderAnswers, renderInstant, shortened } from '../../http/html/elements.ts'
import { type Html, html } from '../../http/html/html.ts'
import { decodeIdToken, renderIdToken } from '../../http/html/id-token-table.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import type { Provider } from '../../oidc/provider.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { callbackOf } from '../../sandbox/journal/call-meaning.ts'
import type { Flow } from '../../sandbox/journal/journal.ts'
import { nextSteps } from '../../sandbox/journal/next-steps.ts'
import { outcomesFor } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import type { ConsoleCall, ConsoleRoute } from '../console-route.ts'
import { renderCalls } from './calls.ts'
import { FLOW_TITLES } from './flow-table.ts'
import { renderTrace } from './trace.ts'

/** `console/flows/ID`: one flow with all that the journal holds of it. */
export const flowPage: ConsoleRoute = { name: 'flows', below: '/:id', render: renderOne }

async function renderOne({ tenant, frame, params }: ConsoleCall): Promise<RenderedPage> {
  const id = params['id'] ?? ''
  const flow = await tenant.journal.find(tenant.name, id)
  if (flow) return renderFlow(frame, flow, tenant.provider)
  const message = `flow: there is none with the id ${JSON.stringify(id.slice(0, 40))}; the oldest go when the journal is full`
  throw Refusal.notFound(message)
}

/** Decision, next steps, calls, token and trace of a flow. */
export function renderFlow(
  frame: ConsoleFrame,
  flow: Flow,
  provider: Pick<Provider, 'baseUrl' | 'lifetimes'>,
): RenderedPage {
  const outcome = outcomeOf(flow)
  const idToken = callbackOf(flow)?.['id_token']
  const { trace = [] } = flow
  return renderConsolePage(frame, {
    title: `${FLOW_TITLES[flow.flow]} flow ${flow.id}`,
    current: 'flows',
    lead: html`Began ${renderInstant(flow.started_at)}${flow.ended_at === undefined ? ', waits for the user' : html`, ended ${renderInstant(flow.ended_at)}`}, by the clock of the sandbox.`,
    scripts: ['copy.js', 'console-live.js'],
    body: html`<div class="live-region" id="flow" data-live data-events="${frame.controlPath}/events" data-flow="${flow.id}">
<div class="columns">
${renderDecision(flow, outcome, frame)}
${renderNext(nextSteps(flow, provider.lifetimes), outcome)}
</div>
${renderCalls(flow, { baseUrl: provider.baseUrl, jsonPath: `${frame.controlPath}/flows/${flow.id}` })}
${idToken !== undefined && renderIdToken(decodeIdToken(idToken))}
${trace.length > 0 && renderTrace(trace)}
</div>`,
  })
}

/** The outcome of the flow itself, or the one forced on a later token call. */
const outcomeOf = (flow: Flow): Outcome | undefined =>
  [...outcomesFor(flow.flow), ...outcomesFor('token')].find((row) => row.name === flow.outcome)

const VERDICTS = {
  accept: { mark: 'yes', text: 'accepts it' },
  refuse: { mark: 'no', text: 'refuses it' },
  depends: { mark: 'none', text: 'can tell only with more context than this flow' },
} as const

function renderDecision(
  { persona, client_id: clientId, state, age_thresholds: answers = {} }: Flow,
  outcome: Outcome | undefined,
  { consolePath }: ConsoleFrame,
): Html {
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
  return html`<section class="card" aria-labelledby="decision-title" data-preview>
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

function renderNext(steps: readonly string[], outcome: Outcome | undefined): Html {
  return html`<section class="card" aria-labelledby="next-title" data-preview>
<h2 id="next-title">What a correct client does next</h2>
${outcome !== undefined && html`<p class="notice">${outcome.rule}</p>`}
<ul class="steps" data-testid="next">${steps.map((step) => html`<li>${step}</li>`)}</ul>
</section>`
}
