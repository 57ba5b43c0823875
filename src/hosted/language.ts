import { type Cookie, hostedCookie } from '../http/cookie.ts'
import { type Html, html } from '../http/html/html.ts'
import { LANGUAGE_COOKIE, LANGUAGES, type Translate } from '../http/html/messages.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { renderPendingFields, type WaitingPage } from './waiting-page.ts'

/** The cookie that remembers the choice. */
export const languageCookie = (language: string, tenant: Tenant): Cookie =>
  hostedCookie(LANGUAGE_COOKIE, language, tenant)

/**
 * The menu of languages, each under its own name. It belongs to the form of `renderLanguageForm` and posts `language`. A script submits
 * the form when a pointer picks a language, and hides the button until a key has changed the choice.
 */
export function renderLanguageMenu(t: Translate): Html {
  return html`<div class="row language">
<label class="unseen" for="language">${t('language.label')}</label>
<select id="language" name="language" form="language-form" data-testid="language" autocomplete="off">
${Object.entries(LANGUAGES).map(
  ([tag, messages]) =>
    html`<option value="${tag}" lang="${tag}"${tag === t.lang && html` selected`}>${messages['language.name']}</option>
`,
)}</select>
<button form="language-form">${t('language.change')}</button>
</div>`
}

/** The form of the menu. It stands at the end of the page: the first form of every hosted page is the user's choice. */
export function renderLanguageForm(page: WaitingPage): Html {
  return html`<form id="language-form" method="post" action="${page.path}/language">${renderPendingFields(page)}</form>
`
}
