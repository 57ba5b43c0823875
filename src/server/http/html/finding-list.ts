import { printableDescription } from '../../../service/oidc/rules/error-codes.ts'
import type { Finding } from '../../../service/oidc/rules/finding.ts'
import { type Html, html } from './html.ts'
import { englishOn, type Translate } from './messages.ts'

/**
 * Renders the findings of a request, each with rule, place, problem and remedy; nothing without
 * findings.
 * @param said the `error_description` above the list; a problem that it contains is not repeated
 */
export function renderFindingList(
  findings: readonly Finding[],
  t: Translate,
  said = '',
): Html | false {
  if (findings.length === 0) return false
  return html`<ul class="stack findings">
${findings.map(
  (finding) => html`<li class="finding ${finding.level}">
<p class="row"><span class="tag ${finding.level === 'error' ? 'no' : 'warn'}">${finding.level}</span> <code>${finding.rule}</code> <code class="muted">${finding.path}</code></p>
${!said.includes(printableDescription(finding.message).replace(/\.$/, '')) && html`<p${englishOn(t)}>${finding.message}</p>`}
<p class="hint"><strong>${t('finding.fix')}</strong> <span${englishOn(t)}>${finding.hint}</span></p>
</li>
`,
)}</ul>`
}

/**
 * Renders the advice on a valid request as a section of a hosted page; nothing without advice.
 * @param unsure advice that stays hidden (`data-unsure`) until a script finds that it applies
 */
export function renderAdvice(
  findings: readonly Finding[],
  t: Translate,
  unsure: readonly Finding[] = [],
): Html | false {
  if (findings.length + unsure.length === 0) return false
  return html`<section class="card advice-card" aria-labelledby="advice-title"${findings.length === 0 && UNSURE}>
<h2 id="advice-title">${t('advice.title')}</h2>
<p class="muted">${t('advice.lead')}</p>
${renderFindingList(findings, t)}
${unsure.length > 0 && html`<div${UNSURE}>${renderFindingList(unsure, t)}</div>`}
</section>`
}

/** The attributes of advice that is hidden until a script shows it. */
export const UNSURE = html` data-unsure hidden`
