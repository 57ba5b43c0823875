import { type ConsoleFrame, renderConsolePage } from '../../server/http/console-page.ts'
import { contains } from '../../server/http/form.ts'
import { counted, renderFoldedTable } from '../../server/http/html/elements.ts'
import { filterOptions, renderSelect, renderTextField } from '../../server/http/html/fields.ts'
import { html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import type { Profile } from '../../service/oidc/rules/profile.ts'
import type { RuleRow } from '../../service/oidc/rules/rule.ts'
import { levelOf, RULE_CHAPTERS } from '../../service/oidc/rules/rules.ts'
import type { ConsoleRoute } from './console-route.ts'

/** `console/rules`: all rules for requests on one page. */
export const rulesPage: ConsoleRoute = {
  name: 'rules',
  render({ tenant, frame, fields }) {
    const { q: search = '', level = '' } = fields
    const { profile } = tenant.provider
    const isShown = (rule: RuleRow) =>
      (level === '' || levelOf(rule, profile) === level) &&
      contains(search, [rule.id, rule.section, rule.sentence, rule.hint])
    const chapters = RULE_CHAPTERS.map(({ title, rules }) => ({
      title,
      rules: rules.filter(isShown),
    }))
    return renderRules(frame, chapters, { profile, search, level })
  },
}

const LEVELS = ['error', 'advice'] as const

/** Renders the rules by subject, with their level in this profile. */
export function renderRules(
  frame: ConsoleFrame,
  chapters: readonly { readonly title: string; readonly rules: readonly RuleRow[] }[],
  { profile, search, level }: { profile: Profile; search: string; level: string },
): RenderedPage {
  const isOpen = search !== '' || level !== ''
  const found = chapters.filter(({ rules }) => rules.length > 0)
  return renderConsolePage(frame, {
    title: 'Rules',
    current: 'rules',
    lead: html`What a request is checked against. Profile <code>${profile}</code>: an <em>error</em> refuses the request, <em>advice</em> only says so.`,
    body: html`<section class="card" aria-labelledby="rules-title">
<div class="row spread"><h2 id="rules-title">${counted(found.flatMap(({ rules }) => rules).length, 'rule')}</h2>
<form class="row" method="get">
${renderTextField({ name: 'q', label: 'Find', value: search })}
${renderSelect({ name: 'level', label: 'Level', value: level, options: filterOptions(LEVELS) })}
<button class="secondary">Show</button>
</form></div>
${found.length === 0 && html`<p class="notice muted">No rule matches this filter. <a href="?">Show all</a></p>`}
${found.map(({ title, rules }) => {
  const rows = rules.map((rule) => rowOf(rule, levelOf(rule, profile)))
  const columns = ['Rule', 'Level', 'What is required, and the remedy']
  return renderFoldedTable({ title, caption: `Rules of ${title}`, columns, rows, isOpen })
})}
</section>`,
  })
}

const rowOf = ({ id, sentence, hint, section }: RuleRow, level: string) => ({
  id,
  cells: [
    html`<code class="whole">${id}</code>`,
    html`<span class="tag ${level === 'error' ? 'no' : 'warn'}">${level}</span>`,
    html`${sentence} <span class="muted">${hint} From: ${section}.</span>`,
  ],
})
