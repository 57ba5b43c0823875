import { type ConsoleFrame, renderConsolePage } from '../http/console-page.ts'
import type { Fields } from '../http/form.ts'
import { counted, renderName, renderTable } from '../http/html/elements.ts'
import { renderSelect, renderSuggestions, renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { parseWith } from '../http/parse.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS } from '../sandbox/outcomes/outcome.ts'
import { checkExpectation, type Expectation, newExpectationSchema } from '../sandbox/queue/expectation.ts'
import type { ConsoleCall, ConsoleRoute } from './console-route.ts'
import { pageOf, renderPaging } from './list-page.ts'

/** `console/expectations`: the queue, and a form that adds to it. */
export const expectationsPage: ConsoleRoute = { name: 'expectations', render: renderQueued, act: change }

async function renderQueued({ tenant, frame, fields, problem }: ConsoleCall): Promise<RenderedPage> {
  const personas = (await tenant.personas.list()).map(({ name }) => name)
  return renderExpectations(frame, await tenant.expectations.list(), { personas, fields, problem })
}

async function change({ tenant, fields }: ConsoleCall): Promise<undefined> {
  const { clear, remove } = fields
  if (clear === 'true') return void (await tenant.expectations.clear())
  // One that was used up in the meantime is gone, as it shall be.
  if (remove !== undefined) return void (await tenant.expectations.remove(remove))
  const expectation = parseWith(newExpectationSchema, readExpectation(fields), 'body')
  await checkExpectation(expectation, tenant)
  await tenant.expectations.add(expectation)
}

/** The form as the JSON body of the control API. */
function readExpectation({ flow, persona, outcome, times, client_id, state, nonce }: Fields) {
  const match = { client_id, state, nonce }
  const isAny = Object.values(match).every((value) => value === undefined)
  return {
    flow,
    persona,
    outcome,
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(isAny ? {} : { match }),
  }
}

interface ExpectationForm {
  /** Names to suggest. */
  readonly personas: readonly string[]
  /** The fields as written. */
  readonly fields: Fields
  readonly problem?: string | undefined
}

/** The queue of decisions for coming requests, first in first out, and a form that adds one. */
export function renderExpectations(
  frame: ConsoleFrame,
  expectations: readonly Expectation[],
  form: ExpectationForm,
): RenderedPage {
  const action = `${frame.consolePath}/expectations`
  return renderConsolePage(frame, {
    title: 'Expectations',
    current: 'expectations',
    lead: html`Decisions for coming requests: each replaces the choice page once. First in, first out. One for discovery or jwks holds until a flow has ended after it was served.`,
    problem: form.problem,
    body: html`${renderQueue(expectations, action, form.fields)}
${renderForm(form, action)}`,
  })
}

/** Expectations, and suggested personas, on one page. */
const MAX_SHOWN = 100

function renderQueue(expectations: readonly Expectation[], action: string, fields: Fields): Html {
  const { items, next } = pageOf(expectations, { fields, limit: MAX_SHOWN, idOf: ({ id }) => id })
  const total = expectations.length
  return html`<section class="card" aria-labelledby="queue-title">
<h2 id="queue-title">${counted(total, 'decision')} waiting</h2>
${
  total === 0
    ? html`<p class="empty">The queue is empty: the request itself decides, or the choice page asks.</p>`
    : html`<form method="post" action="${action}">
${renderTable('Decisions that wait', ['For', 'Persona', 'Outcome', 'When', 'Left', 'Change'], items.map(renderExpectation))}
${renderPaging({ shown: items.length, total, next })}
<div class="button-row"><button class="secondary compact" name="clear" value="true" data-testid="clear">Forget them all</button></div>
</form>`
}
</section>`
}

const renderExpectation = ({
  id,
  flow,
  persona,
  outcome,
  match = {},
  times,
  remaining,
  held_since: heldSince,
}: Expectation) => ({
  id,
  cells: [
    flow,
    persona === undefined ? html`<span class="muted">any</span>` : html`<code>${persona}</code>`,
    outcome === undefined ? html`<span class="muted">the usual</span>` : renderName(outcome),
    renderMatch(match),
    `${remaining} of ${times}${heldSince === undefined ? '' : ', served'}`,
    html`<button class="secondary compact" name="remove" value="${id}" aria-label="Remove the decision for ${flow} ${id}">Remove</button>`,
  ],
})

function renderMatch(match: NonNullable<Expectation['match']>) {
  const members = Object.entries(match).filter(([, value]) => value !== undefined)
  if (members.length === 0) return html`<span class="muted">any request</span>`
  return members.map(([name, value]) => html`<span class="line"><code>${`${name}: ${value}`}</code></span>`)
}

function renderForm({ personas, fields }: ExpectationForm, action: string): Html {
  const { flow, persona, outcome, times, client_id, state, nonce } = fields
  return html`<section class="card" aria-labelledby="add-title">
<h2 id="add-title">Add one</h2>
<form class="stack" method="post" action="${action}">
<div class="form-row">
${renderSelect({ name: 'flow', label: 'For the next', value: flow, options: OUTCOME_FLOWS.map((value) => ({ value, label: value })) })}
${renderTextField({ name: 'persona', label: 'Persona', value: persona, list: 'persona-names', hint: 'For use and create. Left empty, adult-passport in use and no-age-key in create, when one is needed.' })}
${renderTextField({ name: 'outcome', label: 'Outcome', value: outcome, list: 'outcome-names', hint: 'Left empty, the usual one.' })}
${renderTextField({ name: 'times', label: 'How many requests', value: times ?? '1' })}
</div>
<fieldset class="form-row"><legend>Only for a request with</legend>
${renderTextField({ name: 'client_id', label: 'client_id', value: client_id })}
${renderTextField({ name: 'state', label: 'state', value: state })}
${renderTextField({ name: 'nonce', label: 'nonce', value: nonce })}
</fieldset>
<div class="button-row"><button class="primary" data-testid="add">Add</button></div>
${renderSuggestions('persona-names', personas.slice(0, MAX_SHOWN))}
${renderSuggestions('outcome-names', [...new Set(OUTCOMES.map(({ name }) => name))])}
</form>
</section>`
}
