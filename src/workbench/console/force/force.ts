import type { ClockState } from '../../../sandbox/clock/clock.ts'
import { OUTCOMES } from '../../../sandbox/outcomes/catalogue.ts'
import {
  checkExpectation,
  type Expectation,
  newExpectationSchema,
} from '../../../sandbox/queue/expectation.ts'
import { progressOf, type ScenarioProgress } from '../../../sandbox/queue/queued.ts'
import { type ConsoleFrame, renderConsolePage } from '../../../server/http/console-page.ts'
import { type Fields, numberOf } from '../../../server/http/form.ts'
import {
  counted,
  renderName,
  renderTable,
  type TableRow,
} from '../../../server/http/html/elements.ts'
import {
  renderSelect,
  renderSuggestions,
  renderTextField,
} from '../../../server/http/html/fields.ts'
import { type Html, html } from '../../../server/http/html/html.ts'
import type { RenderedPage } from '../../../server/http/html/layout.ts'
import { parseWith } from '../../../server/http/parse.ts'
import { CALLS } from '../../../service/oidc/endpoints.ts'
import type { ActResult, ConsoleCall, ConsoleRoute, FormState } from '../console-route.ts'
import { pageOf, renderPaging } from '../list-page.ts'
import { moveByForm, renderClock } from './clock.ts'
import { armScenario, renderScenarioForm, renderScenarios } from './scenarios.ts'

/**
 * `console/force`: the queue and the clock, with forms that change them. A script keeps the list
 * current.
 */
export const forcePage: ConsoleRoute = {
  name: 'force',
  async render({ tenant, frame, fields, problem }) {
    const armed = (await tenant.scenarios.list()).toReversed().slice(0, MAX_SCENARIOS)
    return renderForce(frame, {
      expectations: await tenant.expectations.list(),
      scenarios: armed.map(progressOf),
      personas: (await tenant.personas.list()).map(({ name }) => name),
      clock: tenant.clock.state(),
      fields,
      problem,
    })
  },
  act,
}

/** Maximum number of scenarios on the page. The control API lists all. */
const MAX_SCENARIOS = 20

async function act({ tenant, fields }: ConsoleCall): Promise<ActResult> {
  const { clear, remove, arm, yaml, flow } = fields
  if (arm !== undefined) {
    await armScenario(yaml, tenant)
    return { part: 'scenarios' }
  }
  if (clear === 'true') await tenant.expectations.clear()
  else if (remove !== undefined) {
    // The decision may have been used in the meantime, so a missing one is not an error.
    await tenant.expectations.remove(remove)
    await tenant.scenarios.remove(remove)
  } else if (flow !== undefined) {
    const expectation = parseWith(newExpectationSchema, readExpectation(fields), 'body')
    await checkExpectation(expectation, tenant)
    await tenant.expectations.add(expectation)
  } else {
    await moveByForm(fields, tenant)
    return { part: 'clock' }
  }
  return { part: 'queue' }
}

/** Converts the form to the JSON body of the control API. */
function readExpectation({ flow, persona, outcome, times, client_id, state, nonce }: Fields) {
  const match = { client_id, state, nonce }
  const isAny = Object.values(match).every((value) => value === undefined)
  return {
    flow,
    persona,
    outcome,
    times: times && numberOf(times),
    match: isAny ? undefined : match,
  }
}

interface Force {
  readonly expectations: readonly Expectation[]
  /** Newest first. */
  readonly scenarios: readonly ScenarioProgress[]
  /** Names to suggest. */
  readonly personas: readonly string[]
  readonly clock: ClockState
  /** The fields that a link or a refused form has filled in. */
  readonly fields: Fields
  readonly problem?: string | undefined
}

/** Renders the queue, the scenarios and the clock, with their forms. */
export function renderForce(
  frame: ConsoleFrame,
  { expectations, scenarios, personas, clock, fields, problem }: Force,
): RenderedPage {
  const form = { action: `${frame.consolePath}/force`, fields }
  return renderConsolePage(frame, {
    title: 'Force',
    current: 'force',
    lead: html`What decides coming requests in place of the choice page: single decisions, and scenarios of several steps. The clock decides every lifetime and every age.`,
    problem,
    scripts: ['console-live.js'],
    body: html`<section class="card" id="queue" aria-labelledby="queue-title" data-events="${frame.controlPath}/events">
<div class="row spread"><h2 id="queue-title">Waiting</h2> <p class="hint live" role="status" data-live-state hidden></p></div>
<div class="stack" id="waiting" data-live>
${renderQueue(expectations, form)}
${renderScenarios(scenarios, form)}
</div>
</section>
<div class="columns">
${renderDecisionForm(personas, form)}
${renderScenarioForm(frame, form)}
</div>
${renderClock(clock, form)}`,
  })
}

/** Maximum number of expectations on the page, and of suggested personas. */
const MAX_SHOWN = 100

/** Renders the waiting decisions, first in first out. */
function renderQueue(expectations: readonly Expectation[], { action, fields }: FormState): Html {
  const { items, next } = pageOf(expectations, { fields, limit: MAX_SHOWN, idOf: ({ id }) => id })
  const total = expectations.length
  if (total === 0)
    return html`<p class="notice muted">No decision waits: the request itself decides, or the choice page asks.</p>`
  return html`<form method="post" action="${action}">
<h3>${counted(total, 'decision')}</h3>
${renderTable('Decisions that wait', ['For', 'Persona', 'Outcome', 'When', 'Left', 'Change'], items.map(renderExpectation))}
${renderPaging({ shown: items.length, total, next })}
<div class="row"><button class="secondary" name="clear" value="true" data-testid="clear">Forget them all</button></div>
</form>`
}

function renderExpectation({
  id,
  flow,
  persona,
  outcome,
  match = {},
  ...queued
}: Expectation): TableRow {
  const cells = [
    flow,
    persona === undefined ? html`<span class="muted">any</span>` : html`<code>${persona}</code>`,
    outcome === undefined ? html`<span class="muted">the usual</span>` : renderName(outcome),
    renderMatch(match),
    `${queued.remaining} of ${queued.times}${queued.held_since === undefined ? '' : ', served'}`,
    html`<button class="secondary" name="remove" value="${id}" aria-label="Remove the decision for ${flow} ${id}">Remove</button>`,
  ]
  return { id, cells }
}

function renderMatch(match: NonNullable<Expectation['match']>) {
  const members = Object.entries(match).filter(([, value]) => value !== undefined)
  if (members.length === 0) return html`<span class="muted">any request</span>`
  return members.map(
    ([name, value]) => html`<span class="line"><code>${`${name}: ${value}`}</code></span>`,
  )
}

/** Renders the form that queues a decision. A link or a refused form may fill it in. */
function renderDecisionForm(personas: readonly string[], { action, fields }: FormState): Html {
  const { flow, persona, outcome, times, client_id, state, nonce } = fields
  const isMatched = [client_id, state, nonce].some((value) => value !== undefined)
  return html`<section class="card" aria-labelledby="add-title">
<h2 id="add-title">Queue a decision</h2>
<p class="hint">First in, first out. One for discovery or jwks holds until a flow has ended after it was served.</p>
<form class="stack" method="post" action="${action}">
<div class="row">
${renderSelect({ name: 'flow', label: 'For the next', value: flow, options: CALLS.map((value) => ({ value, label: value })) })}
${renderTextField({ name: 'times', label: 'How many requests', value: times ?? '1' })}
${renderTextField({ name: 'persona', label: 'Persona', value: persona, list: 'persona-names', hint: 'Left empty: adult-passport in use, no-age-key in create.' })}
${renderTextField({ name: 'outcome', label: 'Outcome', value: outcome, list: 'outcome-names', hint: 'Left empty, the usual one.' })}
</div>
<details class="raw"${isMatched && html` open`}><summary>Only for a request with</summary>
<div class="row">
${renderTextField({ name: 'client_id', label: 'client_id', value: client_id })}
${renderTextField({ name: 'state', label: 'state', value: state })}
${renderTextField({ name: 'nonce', label: 'nonce', value: nonce })}
</div>
</details>
<div class="row"><button class="primary" data-testid="add">Add</button></div>
${renderSuggestions('persona-names', personas.slice(0, MAX_SHOWN))}
${renderSuggestions('outcome-names', [...new Set(OUTCOMES.map(({ name }) => name))])}
</form>
</section>`
}
