import type { Fields } from '../../http/form.ts'
import { renderSelect, renderTextField } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import { FLOW_STATUSES, type FlowStatus } from '../../sandbox/journal/explain-flow.ts'
import type { FlowFilter } from '../../sandbox/journal/journal.ts'
import type { FlowSearch } from '../../sandbox/journal/search-flows.ts'
import { FLOW_TITLES } from './flow-table.ts'

/** The filter of the list: facts of a flow, its status, and free text. */
export type FlowQuery = FlowFilter & FlowSearch

/** Reads the filter from the query. An absent member, or an unknown name of a flow or status, filters nothing. */
export function readFlowQuery({ flow, client_id, state, persona, outcome, status, q, ...shown }: Fields): FlowQuery {
  return {
    flow: flow !== undefined && Object.hasOwn(FLOW_TITLES, flow) ? flow : undefined,
    client_id,
    state,
    persona,
    outcome,
    status: FLOW_STATUSES.find((known): known is FlowStatus => known === status),
    q,
    audit: shown['audit'] === 'also' ? 'also' : undefined,
  }
}

const FLOW_OPTIONS = [
  { value: '', label: 'Every flow' },
  ...Object.entries(FLOW_TITLES).map(([value, label]) => ({ value, label })),
]

/** The form above the table: free text, kind of flow, errors only, and the other facts behind a button. */
export function renderFlowSearch(query: FlowQuery): Html {
  const { q = '', flow, status, persona, outcome, state, client_id: clientId } = query
  const facts = [persona, outcome, state, clientId].filter((value) => value !== undefined)
  const isUsed = facts.length > 0 || flow !== undefined || status !== undefined || q !== ''
  return html`<form class="row flow-search" method="get" role="search" data-flow-search>
${query.audit && html`<input type="hidden" name="audit" value="also">`}
<input class="q" id="q" name="q" type="search" value="${q}" placeholder="Search everything: client, state, rule, traceparent, value" aria-label="Search in everything that the flows hold" autocomplete="off" autocapitalize="none" spellcheck="false">
${renderSelect({ name: 'flow', label: 'Flow', value: flow, options: FLOW_OPTIONS })}
<label class="target"><input type="checkbox" name="status" value="error"${status === 'error' && html` checked`}>Errors only</label>
<button class="secondary">Show</button>
${isUsed && html`<a class="target" href="?">Show every flow</a>`}
<p class="hint live" role="status" data-live-state hidden></p>
<details id="filter"${facts.length > 0 && html` open`}>
<summary>More filters</summary>
<div class="row">
${renderTextField({ name: 'persona', label: 'Persona', value: persona })}
${renderTextField({ name: 'outcome', label: 'Outcome', value: outcome })}
${renderTextField({ name: 'state', label: 'state', value: state })}
${renderTextField({ name: 'client_id', label: 'client_id', value: clientId })}
</div>
</details>
</form>`
}
