import type { Persona } from '../../sandbox/personas/persona-schema.ts'
import type { AgeSignal } from '../../service/age/signal.ts'
import type { Age } from '../../service/age/signal-schema.ts'
import type { CreateTransaction } from '../../service/oidc/create.ts'
import { renderAdvice } from '../http/html/finding-list.ts'
import { type Html, html } from '../http/html/html.ts'
import { type RenderedPage, renderPage } from '../http/html/layout.ts'
import { type MessageKey, type Translate, translate } from '../http/html/messages.ts'
import { renderClientBadge } from './logo.ts'
import { renderEndings, renderOutcomeButton } from './outcome-list.ts'
import {
  isBlocked,
  renderEmbeddingNotice,
  renderLanguageMenu,
  renderOtherForms,
  renderPendingFields,
  type WaitingPage,
} from './waiting-page.ts'

/**
 * Renders the page of E3, on which the user saves an age key for one of the `personas`. Its form
 * posts `transaction`, `persona` and `outcome`: `created`, `created_new` for a new persona, or
 * `access_denied`. Where passkeys do not work, the page only offers to go back.
 */
export function renderCreate(
  page: WaitingPage<CreateTransaction>,
  choices: { readonly personas: readonly Persona[]; readonly selected: string | undefined },
): RenderedPage {
  const { shell, transaction, client } = page
  const t = translate(shell.lang)
  const blocked = isBlocked(page)
  return renderPage(shell, {
    title: t('create.title'),
    menu: renderLanguageMenu(t),
    forms: renderOtherForms(page),
    scripts: ['language.js', 'filter.js', 'parts.js', 'embedding.js', 'once.js'],
    main: html`${renderEmbeddingNotice(page, 'create', t)}
<section class="card screen" aria-labelledby="screen-title">
<div class="row asker">${renderClientBadge(client)}<h1 id="screen-title">${t('create.title')}</h1></div>
<p class="muted">${t('create.lead', { client: client.name })}</p>
<h2 class="small">${t('create.signals')}</h2>
<ul class="signals">
${transaction.signals.map((signal, _, { length }) => renderSignal(signal, { isFolded: length > 1 }, t))}</ul>
<form class="saving" method="post" action="${page.path}/choice">${renderPendingFields(page)}
${!blocked && renderSaving(page, choices, t)}
<div class="actions">
${renderOutcomeButton('access_denied', page, { label: t('create.decline'), testId: 'decline', isPrimary: blocked }, t)}
</div>
</form>
</section>
${renderAdvice(page.findings, t)}
${!blocked && renderEndings(page, t)}`,
  })
}

/**
 * Renders a signal. With several signals each is folded below its method and age, so that signals
 * and buttons fit one screen.
 */
function renderSignal(
  signal: AgeSignal,
  { isFolded }: { readonly isFolded: boolean },
  t: Translate,
): Html {
  const { method, age, verified_at, provenance, attributes = {} } = signal
  const rows: readonly (readonly [MessageKey, readonly string[]])[] = [
    ['create.method', [method]],
    ['create.age', [ageText(age, t)]],
    ['create.verified', [verified_at]],
    ['create.provenance', [provenance]],
    ['create.attributes', Object.entries(attributes).map(([name, value]) => `${name}: ${value}`)],
  ]
  const list = html`<dl>${rows.map(([key, values]) => values.length > 0 && html`<div><dt>${t(key)}</dt>${values.map((value) => html`<dd>${value}</dd>`)}</div>`)}</dl>`
  return html`<li>${isFolded ? html`<details><summary>${method}: ${ageText(age, t)}</summary>${list}</details>` : list}</li>
`
}

function ageText(age: Age, t: Translate): string {
  if ('date_of_birth' in age) return t('create.age.born', { date: age.date_of_birth })
  if ('years' in age) return t('create.age.years', { years: age.years })
  return t('create.age.atLeast', { years: age.at_least_years })
}

/** Renders the actions that need a passkey. */
function renderSaving(
  page: WaitingPage,
  { personas, selected }: Parameters<typeof renderCreate>[1],
  t: Translate,
): Html {
  return html`<div data-passkey>
<div class="field">
<label for="persona">${t('create.persona')}</label>
<select id="persona" name="persona" aria-describedby="persona-hint">
${personas.map(
  ({ name, title, age_key: ageKey }) =>
    html`<option value="${name}" data-testid="persona-${name}"${!ageKey && html` data-keyless`}${name === selected && html` selected`}>${title} (${name})</option>
`,
)}</select>
<p class="hint" id="persona-hint">${t('create.persona.hint')}</p>
</div>
<div class="actions">
<button class="primary" name="outcome" value="created" data-testid="save">${t('create.save')}</button>
<button class="secondary" name="outcome" value="created_new" data-testid="save-new"><span>${t('create.new')}</span> <small>${t('create.new.hint')}</small></button>
${renderOutcomeButton('request_uri.expired', page, { label: t('create.expired') }, t)}
</div>
</div>`
}
