import { renderAdvice, UNSURE } from '../http/html/finding-list.ts'
import { type Html, html } from '../http/html/html.ts'
import { type RenderedPage, renderPage, type Shell } from '../http/html/layout.ts'
import { englishOn, type Translate, translate } from '../http/html/messages.ts'
import type { UseTransaction } from '../oidc/use.ts'
import { FALLBACK_PERSONAS } from '../sandbox/decision/decide.ts'
import { type PersonaChoice, renderPersonaList } from './choices/persona-list.ts'
import { CODE_BUTTON, renderEndingForm } from './driving/ending-form.ts'
import { isWithoutPasskeys } from './embedding/embedding.ts'
import { renderContinueForm, renderEmbeddingNotice } from './embedding/notice.ts'
import { renderLanguageForm, renderLanguageMenu } from './language.ts'
import { renderClientBadge } from './logo.ts'
import { renderPendingFields, type WaitingPage } from './waiting-page.ts'

/**
 * E1: the page on which the user chooses. The first form posts `transaction` and either `persona` (a persona's button) or
 * `outcome` (`verified`, `code_issued`, `create_requested`, `access_denied`); the section at the end forces any other outcome.
 * Where no passkey works it offers only to go back, until the user goes on for the sandbox alone.
 */
export function renderChoose(page: WaitingPage<UseTransaction>, choices: readonly PersonaChoice[]): RenderedPage {
  const { shell, transaction, client, findings, fontFindings = [] } = page
  const { font } = transaction.presentation.appearance
  const t = translate(shell.lang)
  const title = t('choose.title', { client: client.name })
  const isBlocked = isWithoutPasskeys(page.embedding) && !page.continued
  const { chosenLanguage } = page
  const chosen = { transaction: page.id, ...(chosenLanguage === undefined ? {} : { chosen_language: chosenLanguage }) }
  const whyPath = `${page.path}/why?${new URLSearchParams({ ...chosen, persona: '' })}`
  return renderPage(shell, {
    title,
    width: 'wide',
    menu: renderLanguageMenu(t),
    forms: html`${renderContinueForm(page)}${renderLanguageForm(page)}`,
    scripts: [
      'language.js',
      'filter.js',
      'shortcuts.js',
      'why.js',
      'embedding.js',
      ...(font === undefined ? [] : ['font.js']),
      'once.js',
    ],
    main: html`${renderEmbeddingNotice(page, 'use', t)}
<div class="desk">
<form class="desk-form" method="post" action="${page.path}/choice">${renderPendingFields(page)}
<section class="card screen" aria-labelledby="screen-title">
${renderClientBadge(client)}
<h1 id="screen-title">${title}</h1>
${renderQuestion(transaction, t)}
<div class="actions">
${!isBlocked && renderActions(transaction, choices, t)}
<button class="${isBlocked ? 'primary' : 'quiet'}" name="outcome" value="access_denied" data-testid="decline">${t('choose.decline')}</button>
</div>
${transaction.presentation.learnMore && renderLearnMore(shell, t)}
</section>
${
  !isBlocked &&
  html`<section class="card" aria-labelledby="personas-title" data-passkey>
<h2 id="personas-title">${t('choose.personas')}</h2>
<p class="muted">${t('choose.personas.lead')}</p>
<p class="links">${findings.length + fontFindings.length > 0 && html`<a href="#advice-title"${findings.length === 0 && UNSURE}>${t('advice.title')}</a>`} <a href="#endings">${t('ending.title')}</a></p>
${renderPersonaList(choices, { thresholds: transaction.claims.age_thresholds, canCreate: transaction.canCreate, whyPath }, t)}
</section>`
}
</form>
<div class="desk-more"${font !== undefined && html` data-font="${font.trim()}"`}>
${renderAdvice(findings, t, fontFindings)}
${!isBlocked && renderEndingForm(page, t)}
</div>
</div>`,
  })
}

/** The requested thresholds, in the order of the request, and every other filter of the claims. */
function renderQuestion({ claims, upgrade }: UseTransaction, t: Translate): Html {
  const { age_thresholds: thresholds, ...filters } = claims
  const lines = Object.entries(filters).flatMap(([name, value]) => filterLines(name, value))
  return html`<p class="muted">${t('choose.promise')}</p>
<h2 class="small">${t('choose.thresholds')}</h2>
<ul class="thresholds">${thresholds.map((threshold) => html`<li>${t('choose.threshold', { threshold })}</li>`)}</ul>
${
  lines.length > 0 &&
  html`<h2 class="small">${t('choose.filters')}</h2>
<ul class="filters">${lines.map((line) => html`<li>${line}</li>`)}</ul>`
}
${upgrade && html`<p class="muted">${t('choose.upgrade')}</p>`}`
}

/** A line for each member of a filter: `overrides.id_doc_scan.min_age: 21`. */
function filterLines(path: string, value: unknown): string[] {
  if (Array.isArray(value)) return [`${path}: ${value.length === 0 ? '[]' : value.join(', ')}`]
  if (typeof value !== 'object' || value === null) return [`${path}: ${value}`]
  return Object.entries(value).flatMap(([name, member]) => filterLines(`${path}.${name}`, member))
}

/** What only works with a passkey. */
function renderActions({ canCreate, upgrade }: UseTransaction, choices: readonly PersonaChoice[], t: Translate): Html {
  const usual = choices.find(({ persona }) => persona.name === FALLBACK_PERSONAS.use)?.persona
  return html`<div class="actions" data-passkey>
<button class="primary" name="outcome" value="verified" data-testid="use" aria-describedby="use-as">${t('choose.use')}</button>
<p class="use-as" id="use-as">${t('choose.use.as')} ${usual && html`<strong${englishOn(t)}>${usual.title}</strong> `}<code>${FALLBACK_PERSONAS.use}</code></p>
${upgrade && html`<button class="secondary" name="outcome" value="${CODE_BUTTON}" data-testid="outcome-${CODE_BUTTON}">${t('choose.code')}</button>`}
${canCreate && html`<button class="secondary" name="outcome" value="create_requested" data-testid="create">${t('choose.create')}</button>`}
</div>`
}

function renderLearnMore(shell: Shell, t: Translate): Html {
  return html`<p class="links"><a href="${shell.homePath}#age-keys" target="_blank" rel="noopener" data-testid="learn-more">${t('choose.learn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>`
}
