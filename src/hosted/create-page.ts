import type { Age } from '../age/signal-schema.ts'
import { renderAdvice } from '../http/html/finding-list.ts'
import { type Html, html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'
import { type MessageKey, type Translate, translate } from '../http/html/messages.ts'
import type { Finding } from '../oidc/rules/finding.ts'
import { type ClientView, renderClientBadge } from './client-badge.ts'
import { type EmbeddingView, renderEmbeddingNotice } from './embedding-notice.ts'
import { type EndingFormView, renderEndingForm } from './ending-form.ts'
import { type LanguageMenuView, renderLanguageForm, renderLanguageMenu } from './language-menu.ts'
import { renderPendingFields } from './pending-fields.ts'

/** A submitted age signal in words. */
export interface SignalView {
  /** The wire name: `id_doc_scan`. */
  readonly method: string
  readonly age: Age
  readonly verifiedAt: string
  readonly provenance: string
  /** A line each: `issuing_country: US`. */
  readonly attributes: readonly string[]
}

/** E3: what the page of the Create flow shows. */
export interface CreateView extends EndingFormView, LanguageMenuView {
  readonly shell: Shell
  readonly client: ClientView
  readonly embedding: EmbeddingView
  readonly signals: readonly SignalView[]
  /** Who may own the age key; `defaultPersona` is selected. */
  readonly personas: readonly { readonly name: string; readonly title: string }[]
  /** Advice on the request. */
  readonly findings: readonly Finding[]
}

/**
 * E3: the page on which the user saves an age key. Its form posts `transaction`, the selected `persona` and either
 * `outcome`: `created`, `created_new` for an age key of a new persona, or `access_denied`.
 */
export function renderCreate(view: CreateView): RenderedPage {
  const t = translate(view.shell.lang)
  return renderPage(view.shell, {
    title: t('create.title'),
    menu: renderLanguageMenu(t),
    forms: renderLanguageForm(view),
    scripts: ['language.js', 'filter.js', 'embedding.js', 'once.js'],
    main: html`${renderEmbeddingNotice(view.embedding, t)}
<section class="card screen" aria-labelledby="screen-title">
${renderClientBadge(view.client)}
<h1 id="screen-title">${t('create.title')}</h1>
<p class="muted">${t('create.lead', { client: view.client.name })}</p>
<h2 class="small">${t('create.signals')}</h2>
<ul class="signals">
${view.signals.map((signal) => renderSignal(signal, t))}</ul>
${renderForm(view, t)}
</section>
${renderAdvice(view.findings, t)}
${renderEndingForm(view, t)}`,
  })
}

function renderSignal(signal: SignalView, t: Translate): Html {
  const rows: readonly (readonly [MessageKey, readonly string[]])[] = [
    ['create.method', [signal.method]],
    ['create.age', [ageText(signal.age, t)]],
    ['create.verified', [signal.verifiedAt]],
    ['create.provenance', [signal.provenance]],
    ['create.attributes', signal.attributes],
  ]
  return html`<li><dl>${rows.map(([key, values]) => values.length > 0 && html`<div><dt>${t(key)}</dt>${values.map((value) => html`<dd>${value}</dd>`)}</div>`)}</dl></li>
`
}

function ageText(age: Age, t: Translate): string {
  if ('date_of_birth' in age) return t('create.age.born', { date: age.date_of_birth })
  if ('years' in age) return t('create.age.years', { years: age.years })
  return t('create.age.atLeast', { years: age.at_least_years })
}

function renderForm(view: CreateView, t: Translate): Html {
  return html`<form method="post" action="${view.action}">${renderPendingFields(view)}
<div class="field">
<label for="persona">${t('create.persona')}</label>
<select id="persona" name="persona" aria-describedby="persona-hint">
${view.personas.map(
  ({ name, title }) =>
    html`<option value="${name}" data-testid="persona-${name}"${name === view.defaultPersona && html` selected`}>${title} (${name})</option>
`,
)}</select>
<p class="hint" id="persona-hint">${t('create.persona.hint')}</p>
</div>
<div class="actions">
<button class="primary" name="outcome" value="created" data-testid="save">${t('create.save')}</button>
<button class="secondary" name="outcome" value="created_new" data-testid="save-new" aria-describedby="new-hint">${t('create.new')}</button>
<p class="use-as" id="new-hint">${t('create.new.hint')}</p>
<button class="quiet" name="outcome" value="access_denied" data-testid="decline">${t('create.decline')}</button>
</div>
</form>`
}
