import { FALLBACK_PERSONAS } from '../../sandbox/personas/persona-schema.ts'
import type { UseTransaction } from '../../service/oidc/use.ts'
import { renderAdvice, UNSURE } from '../http/html/finding-list.ts'
import { type Html, html } from '../http/html/html.ts'
import { type RenderedPage, renderPage, type Shell } from '../http/html/layout.ts'
import { type Translate, translate } from '../http/html/messages.ts'
import { renderClientBadge } from './logo.ts'
import { renderEndings, renderOutcomeButton } from './outcome-list.ts'
import { type PersonaChoice, renderPersonaList } from './persona-list.ts'
import {
  isBlocked,
  renderEmbeddingNotice,
  renderLanguageMenu,
  renderOtherForms,
  renderPendingFields,
  type WaitingPage,
} from './waiting-page.ts'

/**
 * Renders the page of E1, on which the user chooses. The first form posts `transaction` and either
 * `persona` (the button of a persona) or `outcome` (`verified`, `code_issued`, `create_requested`,
 * `access_denied`). The section at the end forces any other outcome. Where passkeys do not work,
 * the page only offers to go back, until the user continues anyway.
 */
export function renderChoose(
  page: WaitingPage<UseTransaction>,
  {
    choices,
    last,
  }: { readonly choices: readonly PersonaChoice[]; readonly last?: string | undefined },
): RenderedPage {
  const { shell, transaction, client, findings, fontFindings = [] } = page
  const { font } = transaction.presentation.appearance
  const t = translate(shell.lang)
  const title = t('choose.title', { client: client.name })
  const blocked = isBlocked(page)
  const thresholds = transaction.claims.age_thresholds
  const whyPath = `${page.path}/why?${new URLSearchParams({ ...chosenOn(page), persona: '' })}`
  return renderPage(shell, {
    title,
    width: 'wide',
    menu: renderLanguageMenu(t),
    forms: renderOtherForms(page),
    scripts: [
      'language.js',
      'filter.js',
      'shortcuts.js',
      'parts.js',
      'embedding.js',
      ...(font === undefined ? [] : ['font.js']),
      'once.js',
    ],
    main: html`${renderEmbeddingNotice(page, 'use', t)}
<div class="stack desk">
<form class="desk-form" method="post" action="${page.path}/choice">${renderPendingFields(page)}
<div class="stack side">
<section class="card screen" aria-labelledby="screen-title">
<div class="row asker">${renderClientBadge(client)}<h1 id="screen-title">${title}</h1></div>
${renderQuestion(transaction, t)}
<div class="actions">
${!blocked && renderActions(page, t)}
${renderOutcomeButton('access_denied', page, { label: t('choose.decline'), testId: 'decline', isPrimary: blocked }, t)}
</div>
</section>
<div class="hint about">
<p>${t('choose.promise')}${transaction.upgrade && html` ${t('choose.upgrade')}`}</p>
<p class="row links">${transaction.presentation.learnMore && renderLearnMore(shell, t)}${findings.length + fontFindings.length > 0 && html` <a href="#advice-title"${findings.length === 0 && UNSURE}>${t('advice.title')}</a>`}</p>
</div>
</div>
${
  !blocked &&
  html`<section class="card people" aria-labelledby="personas-title" data-passkey>
${renderPersonaList(choices, { thresholds, canCreate: transaction.canCreate, whyPath, last }, t)}
</section>`
}
</form>
<div class="stack desk-more"${font !== undefined && html` data-font="${font.trim()}"`}>
${!blocked && renderEndings(page, t)}
${renderAdvice(findings, t, fontFindings)}
</div>
</div>`,
  })
}

/** The query parameters for a page of the same request in the same language. */
const chosenOn = ({ id, chosenLanguage }: Pick<WaitingPage, 'id' | 'chosenLanguage'>) => ({
  transaction: id,
  ...(chosenLanguage === undefined ? {} : { chosen_language: chosenLanguage }),
})

/**
 * Renders the requested thresholds in the order of the request, and all other filters of the claims
 * in a folded part.
 */
function renderQuestion({ claims }: UseTransaction, t: Translate): Html {
  const { age_thresholds: thresholds, ...filters } = claims
  const lines = Object.entries(filters).flatMap(([name, value]) => filterLines(name, value))
  return html`<div class="row"><h2 class="small">${t('choose.thresholds')}</h2>
<ul class="row thresholds">${thresholds.map((threshold) => html`<li class="tag">${threshold}</li>`)}</ul></div>
${
  lines.length > 0 &&
  html`<details class="question"><summary><span>${t('choose.filters')}:</span> <code>${Object.keys(filters).join(', ')}</code></summary>
<ul class="hint">${lines.map((line) => html`<li>${line}</li>`)}</ul></details>`
}`
}

/** One line for each requirement of a filter: `overrides.id_doc_scan.min_age: 21`. */
function filterLines(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return [`${path}: ${value.length === 0 ? '[]' : value.join(', ')}`]
  if (typeof value !== 'object' || value === null) return [`${path}: ${value}`]
  return Object.entries(value).flatMap(([name, member]) => filterLines(`${path}.${name}`, member))
}

/** Renders the actions that need a passkey. */
function renderActions(page: WaitingPage, t: Translate): Html {
  return html`<div class="actions" data-passkey>
<button class="primary" name="outcome" value="verified" data-testid="use"><span>${t('choose.use')}</span> <small><span>${t('choose.use.as')}</span> <code>${FALLBACK_PERSONAS.use}</code></small></button>
${renderOutcomeButton('code_issued', page, { label: t('choose.code') }, t)}
${renderOutcomeButton('create_requested', page, { label: t('choose.create'), testId: 'create' }, t)}
</div>`
}

function renderLearnMore(shell: Shell, t: Translate): Html {
  return html`<a href="${shell.homePath}#age-keys" target="_blank" rel="noopener" data-testid="learn-more">${t('choose.learn')} <span class="unseen">(${t('choose.newTab')})</span></a>`
}
