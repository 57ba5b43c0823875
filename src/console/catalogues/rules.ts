import { contains } from '../http/form.ts'
import { type ConsoleFrame, renderConsolePage } from '../http/html/console-page.ts'
import { counted, renderTable } from '../http/html/elements.ts'
import { renderTextField } from '../http/html/fields.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Profile } from '../oidc/profile.ts'
import type { RuleRow } from '../oidc/rules/rule.ts'
import { levelOf, RULES } from '../oidc/rules/rules.ts'
import type { ConsoleRoute } from './console-route.ts'

/** `console/rules`: the rules that requests are checked against. */
export const rulesPage: ConsoleRoute = {
  name: 'rules',
  render({ tenant, frame, fields }) {
    const { q: search = '' } = fields
    const rules = RULES.filter(({ id, section, sentence, hint }) => contains(search, [id, section, sentence, hint]))
    return renderRules(frame, rules, { profile: tenant.provider.profile, search })
  },
}

/** Every rule that a request can break, by section of the specification, with its level in this profile. */
export function renderRules(
  frame: ConsoleFrame,
  rules: readonly RuleRow[],
  { profile, search }: { profile: Profile; search: string },
): RenderedPage {
  const sections = [...new Set(rules.map(({ section }) => section))]
  return renderConsolePage(frame, {
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
    profile,
  ),
)}
</section>`,
  })
}

function renderSection(section: string, rules: readonly RuleRow[], profile: Profile): Html {
  const rows = rules.map((rule) => {
    const level = levelOf(rule, profile)
    return {
      id: rule.id,
      cells: [
        html`<code>${rule.id}</code>`,
        html`<span class="tag ${level === 'error' ? 'bad' : 'warn'}">${level}</span>`,
        rule.sentence,
        html`<span class="muted">${rule.hint}</span>`,
      ],
    }
  })
  return html`<h3 class="group-title">${section}</h3>
${renderTable(`Rules of ${section}`, ['Rule', 'Level', 'What is required', 'Remedy'], rows)}
`
}
