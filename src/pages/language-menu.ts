import { type Html, html } from './html.ts'
import { LANGUAGES, type Translate } from './messages.ts'
import { type PendingView, renderPendingFields } from './pending-fields.ts'

export interface LanguageMenuView extends PendingView {
  /** The path that remembers the choice and shows the page again. */
  readonly languageAction: string
}

/** The menu of languages, each under its own name. It posts `language`; a script submits it as soon as one is picked with a pointer. */
export function renderLanguageMenu(view: LanguageMenuView, t: Translate): Html {
  return html`<form class="language" method="post" action="${view.languageAction}">${renderPendingFields(view)}
<label class="unseen" for="language">${t('language.label')}</label>
<select id="language" name="language" data-testid="language" autocomplete="off">
${Object.entries(LANGUAGES).map(
  ([tag, messages]) =>
    html`<option value="${tag}" lang="${tag}"${tag === t.lang && html` selected`}>${messages['language.name']}</option>
`,
)}</select>
<button class="icon" aria-label="${t('language.change')}"><span aria-hidden="true">✓</span></button>
</form>`
}
