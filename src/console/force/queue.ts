import { type Fields, numberOf } from '../../http/form.ts'
import { counted, renderName, renderTable } from '../../http/html/elements.ts'
import { renderSelect, renderSuggestions, renderTextField } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parseWith } from '../../http/parse.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import { OUTCOME_FLOWS } from '../../sandbox/outcomes/outcome.ts'
import { checkExpectation, type Expectation, newExpectationSchema } from '../../sandbox/queue/expectation.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { pageOf, renderPaging } from '../list-page.ts'

/** Adds the decision of a form to the queue. @throws Refusal */
export async function queueDecision(fields: Fields, tenant: Tenant): Promise<void> {
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
    ...(times === undefined ? {} : { times: numberOf(times) }),
    ...(isAny ? {} : { match }),
  }
}

/** Expectations, and suggested personas, on one page. */
const MAX_SHOWN = 100

/** The waiting decisions, first in first out. */
export function renderQueue(
  expectations: readonly Expectation[],
  { action, fields }: { action: string; fields: Fields },
): Html {
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
    html`<button class="secondary" name="remove" value="${id}" aria-label="Remove the decision for ${flow} ${id}">Remove</button>`,
  ],
})

function renderMatch(match: NonNullable<Expectation['match']>) {
  const members = Object.entries(match).filter(([, value]) => value !== undefined)
  if (members.length === 0) return html`<span class="muted">any request</span>`
  return members.map(([name, value]) => html`<span class="line"><code>${`${name}: ${value}`}</code></span>`)
}

/** The form that queues a decision, filled in from a link or a refused form. */
export function renderDecisionForm({
  personas,
  fields,
  action,
}: {
  personas: readonly string[]
  fields: Fields
  action: string
}): Html {
  const { flow, persona, outcome, times, client_id, state, nonce } = fields
  const isMatched = [client_id, state, nonce].some((value) => value !== undefined)
  return html`<section class="card" aria-labelledby="add-title">
<h2 id="add-title">Queue a decision</h2>
<p class="hint">First in, first out. One for discovery or jwks holds until a flow has ended after it was served.</p>
<form class="stack" method="post" action="${action}">
<div class="row">
${renderSelect({ name: 'flow', label: 'For the next', value: flow, options: OUTCOME_FLOWS.map((value) => ({ value, label: value })) })}
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
