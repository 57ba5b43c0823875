import { type Html, html } from '../http/html/html.ts'
import { LANGUAGES, type Translate } from '../http/html/messages.ts'
import { type PendingView, renderPendingFields } from './pending-fields.ts'

export interface LanguageMenuView extends PendingView {
  /** The path that remembers the choice and shows the page again. */
  readonly languageAction: string
}

/**
 * The menu of languages, each under its own name. It belongs to the form of `renderLanguageForm` and posts `language`; a script
 * submits it as soon as one is picked with a pointer.
 */
export function renderLanguageMenu(t: Translate): Html {
  return html`<div class="language">
<label class="unseen" for="language">${t('language.label')}</label>
<select id="language" name="language" form="language-form" data-testid="language" autocomplete="off">
${Object.entries(LANGUAGES).map(
  ([tag, messages]) =>
    html`<option value="${tag}" lang="${tag}"${tag === t.lang && html` selected`}>${messages['language.name']}</option>
`,
)}</select>
<button class="icon" form="language-form" aria-label="${t('language.change')}"><span aria-hidden="true">✓</span></button>
</div>`
}

/** The form of the menu. It stands at the end of the page, so that the first form of every hosted page is the user's choice. */
export function renderLanguageForm(view: LanguageMenuView): Html {
  return html`<form id="language-form" method="post" action="${view.languageAction}">${renderPendingFields(view)}</form>
`
}
