import { type ConsoleFrame, renderConsolePage } from '../../http/console-page.ts'
import { contains } from '../../http/form.ts'
import { counted, renderTable } from '../../http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../http/html/fields.ts'
import { type Html, html } from '../../http/html/html.ts'
import type { RenderedPage } from '../../http/html/layout.ts'
import type { Profile } from '../../oidc/rules/profile.ts'
import type { RuleRow } from '../../oidc/rules/rule.ts'
import { levelOf, RULES } from '../../oidc/rules/rules.ts'
import type { ConsoleRoute } from '../console-route.ts'

/** `console/rules`: the rules that requests are checked against, all of them on one page. */
export const rulesPage: ConsoleRoute = {
  name: 'rules',
  render({ tenant, frame, fields }) {
    const { q: search = '', level = '', section = '' } = fields
    const { profile } = tenant.provider
    const rules = RULES.filter(
      (rule) =>
        (section === '' || rule.section === section) &&
        (level === '' || levelOf(rule, profile) === level) &&
        contains(search, [rule.id, rule.section, rule.sentence, rule.hint]),
    )
    return renderRules(frame, rules, { profile, search, level, section })
  },
}

const LEVELS = ['error', 'advice'] as const

interface RuleFilter {
  readonly profile: Profile
  readonly search: string
  readonly level: string
  readonly section: string
}

/** Every rule that a request can break, by section of the specification, with its level in this profile. */
export function renderRules(
  frame: ConsoleFrame,
  rules: readonly RuleRow[],
  { profile, search, level, section }: RuleFilter,
): RenderedPage {
  const sections = [...new Set(rules.map((rule) => rule.section))]
  return renderConsolePage(frame, {
    title: 'Rules',
    current: 'rules',
    lead: html`What a request is checked against. Profile <code>${profile}</code>: an <em>error</em> refuses the request, <em>advice</em> only says so.`,
    body: html`<section class="card" aria-labelledby="rules-title">
<form class="form-row" method="get">
${renderTextField({ name: 'q', label: 'Find', value: search, hint: 'A rule id such as PAR-07, or a word' })}
${renderSelect({ name: 'section', label: 'Section', value: section, options: filterOptions([...new Set(RULES.map((rule) => rule.section))]) })}
${renderSelect({ name: 'level', label: 'Level', value: level, options: filterOptions(LEVELS) })}
<button class="secondary">Show</button>
</form>
<h2 id="rules-title">${counted(rules.length, 'rule')}</h2>
${rules.length === 0 && html`<p class="empty">No rule matches this filter. <a href="?">Show all</a></p>`}
${sections.map((one) =>
  renderSection(
    one,
    rules.filter((rule) => rule.section === one),
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
        html`<code class="whole">${rule.id}</code>`,
        html`<span class="tag ${level === 'error' ? 'bad' : 'warn'}">${level}</span>`,
        html`${rule.sentence} <span class="muted">${rule.hint}</span>`,
      ],
    }
  })
  return html`<h3 class="group-title">${section}</h3>
<div class="dense">${renderTable(`Rules of ${section}`, ['Rule', 'Level', 'What is required, and the remedy'], rows)}</div>
`
}
