import { renderAdvice } from '../http/html/finding-list.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'
import { englishOn, type Translate, translate } from '../http/html/messages.ts'
import type { Finding } from '../oidc/rules/finding.ts'
import { type ClientView, renderClientBadge } from './client-badge.ts'
import { type EmbeddingView, renderEmbeddingNotice } from './embedding-notice.ts'
import { type EndingFormView, renderEndingForm } from './ending-form.ts'
import { type LanguageMenuView, renderLanguageForm, renderLanguageMenu } from './language-menu.ts'
import { renderPendingFields } from './pending-fields.ts'
import { type PersonaView, renderPersonaList } from './persona-list.ts'

/** E1: what the choice page shows. */
export interface ChooseView extends EndingFormView, LanguageMenuView {
  readonly shell: Shell
  readonly client: ClientView
  readonly embedding: EmbeddingView
  readonly asked: {
    /** The requested thresholds, in the order of the request. */
    readonly thresholds: readonly number[]
    /** Every other filter of the claims, a line each that a person can read. */
    readonly filters: readonly string[]
  }
  /** Whether the request said `can_create=true`. */
  readonly canCreate: boolean
  /** Whether the request asked for the upgrade scope. */
  readonly upgrade: boolean
  readonly learnMore: boolean
  readonly personas: readonly PersonaView[]
  /** Advice on the request. */
  readonly findings: readonly Finding[]
}

const SCRIPTS = ['language.js', 'filter.js', 'shortcuts.js', 'embedding.js', 'once.js'] as const

/**
 * E1: the page on which the user chooses. The first form posts `transaction` and either `persona` (a persona's button) or
 * `outcome` (`verified`, `create_requested`, `access_denied`); the section at the end forces any other outcome.
 */
export function renderChoose(view: ChooseView): RenderedPage {
  const t = translate(view.shell.lang)
  const title = t('choose.title', { client: view.client.name })
  return renderPage(view.shell, {
    title,
    width: 'wide',
    menu: renderLanguageMenu(t),
    forms: renderLanguageForm(view),
    scripts: SCRIPTS,
    main: html`${renderEmbeddingNotice(view.embedding, t)}
<div class="desk">
<form class="desk-form" method="post" action="${view.action}">${renderPendingFields(view)}
<section class="card screen" aria-labelledby="screen-title">
${renderClientBadge(view.client)}
<h1 id="screen-title">${title}</h1>
${renderAsked(view, t)}
${renderActions(view, t)}
${view.learnMore && renderLearnMore(view.shell, t)}
</section>
<section class="card" aria-labelledby="personas-title">
<h2 id="personas-title">${t('choose.personas')}</h2>
<p class="muted">${t('choose.personas.lead')}</p>
<p class="links">${view.findings.length > 0 && html`<a href="#advice-title">${t('advice.title')}</a>`} ${view.outcomes.length > 0 && html`<a href="#endings">${t('ending.title')}</a>`}</p>
${renderPersonaList(view.personas, view.canCreate, t)}
</section>
</form>
<div class="desk-more">
${renderAdvice(view.findings, t)}
${renderEndingForm(view, t)}
</div>
</div>`,
  })
}

function renderAsked({ asked, upgrade }: ChooseView, t: Translate): Html {
  return html`<p class="muted">${t('choose.promise')}</p>
<h2 class="small">${t('choose.thresholds')}</h2>
<ul class="thresholds">${asked.thresholds.map((threshold) => html`<li>${t('choose.threshold', { threshold })}</li>`)}</ul>
${
  asked.filters.length > 0 &&
  html`<h2 class="small">${t('choose.filters')}</h2>
<ul class="filters">${asked.filters.map((filter) => html`<li>${filter}</li>`)}</ul>`
}
${upgrade && html`<p class="muted">${t('choose.upgrade')}</p>`}`
}

function renderActions({ canCreate, personas, defaultPersona }: ChooseView, t: Translate): Html {
  const title = personas.find(({ name }) => name === defaultPersona)?.title
  return html`<div class="actions">
<button class="primary" name="outcome" value="verified" data-testid="use" aria-describedby="use-as">${t('choose.use')}</button>
<p class="use-as" id="use-as">${t('choose.use.as')} ${title !== undefined && html`<strong${englishOn(t)}>${title}</strong> `}<code>${defaultPersona}</code></p>
${canCreate && html`<button class="secondary" name="outcome" value="create_requested" data-testid="create">${t('choose.create')}</button>`}
<button class="quiet" name="outcome" value="access_denied" data-testid="decline">${t('choose.decline')}</button>
</div>`
}

function renderLearnMore(shell: Shell, t: Translate): Html {
  return html`<p class="links"><a href="${shell.homePath}#age-keys" target="_blank" rel="noopener" data-testid="learn-more">${t('choose.learn')} <span class="unseen">(${t('choose.newTab')})</span></a></p>`
}
