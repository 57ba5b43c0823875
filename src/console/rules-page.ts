import { counted } from '../http/html/badges.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderTable } from '../http/html/table.ts'

export interface RuleView {
  readonly id: string
  readonly section: string
  readonly level: 'error' | 'advice'
  readonly sentence: string
  readonly hint: string
}

export interface RulesView extends ConsoleFrame {
  readonly profile: string
  /** In the order of the specification, after the filter. */
  readonly rules: readonly RuleView[]
  readonly search: string
}

/** Every rule that a request can break, by section of the specification, with its level in this profile. */
export function renderRules(view: RulesView): RenderedPage {
  const { rules, profile, search } = view
  const sections = [...new Set(rules.map(({ section }) => section))]
  return renderConsolePage(view, {
    title: 'Rules',
    current: 'rules',
    lead: html`What a request is checked against. Profile <code>${profile}</code>: an <em>error</em> refuses the request, <em>advice</em> only says so.`,
    body: html`<section class="card" aria-labelledby="rules-title">
<h2 id="rules-title">${counted(rules.length, 'rule')}</h2>
<form class="form-row" method="get">
${renderTextField({ name: 'q', label: 'Find', value: search, hint: 'A rule id such as PAR-07, or a word' })}
<button class="secondary">Show</button>
</form>
${rules.length === 0 && html`<p class="empty">No rule matches this filter.</p>`}
${sections.map((section) =>
  renderSection(
    section,
    rules.filter((rule) => rule.section === section),
  ),
)}
</section>`,
  })
}

function renderSection(section: string, rules: readonly RuleView[]): Html {
  const rows = rules.map(({ id, level, sentence, hint }) => ({
    id,
    cells: [
      html`<code>${id}</code>`,
      html`<span class="tag ${level === 'error' ? 'bad' : 'warn'}">${level}</span>`,
      sentence,
      html`<span class="muted">${hint}</span>`,
    ],
  }))
  return html`<h3 class="group-title">${section}</h3>
${renderTable(`Rules of ${section}`, ['Rule', 'Level', 'What is required', 'Remedy'], rows)}
`
}
