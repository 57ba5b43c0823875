import { parse, serialize } from 'cookie'
import { type Html, html } from '../http/html/html.ts'
import { findLanguage, LANGUAGES, type Translate } from '../http/html/messages.ts'
import type { Incoming } from '../http/incoming.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { renderPendingFields, type WaitingPage } from './waiting-page.ts'

/** The cookie that holds the user's previous choice of a language. */
const LANGUAGE_COOKIE = 'agekey_sandbox_language'

/** Header fields with more ranges than a browser sends are read this far. */
const MOST_RANGES = 50

/**
 * The language of a hosted page: what was chosen on this very page, what the request asks for, the user's previous choice,
 * what the browser prefers, English. A tag that is not supported is passed over.
 */
export function languageOf(
  request: Incoming,
  { chosen, asked }: { chosen?: string | undefined; asked?: string | undefined },
): string {
  const previous = parse(request.header('cookie') ?? '')[LANGUAGE_COOKIE]
  const tags = [chosen, asked, previous, ...acceptedLanguages(request.header('accept-language') ?? '')]
  for (const tag of tags) {
    const language = tag === undefined ? undefined : findLanguage(tag)
    if (language !== undefined) return language
  }
  return 'en'
}

/** A `Set-Cookie` value that remembers the choice for the hosted pages of this tenant. */
export const languageCookie = (language: string, { basePath }: Tenant): string =>
  serialize(LANGUAGE_COOKIE, language, { path: `${basePath}/v1/oidc`, httpOnly: true, sameSite: 'lax' })

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
export function renderLanguageForm(page: WaitingPage): Html {
  return html`<form id="language-form" method="post" action="${page.path}/language">${renderPendingFields(page)}</form>
`
}

/** The tags of an `Accept-Language` field (RFC 9110, section 12.5.4), the most wanted first; those with weight 0 are not wanted. */
function acceptedLanguages(field: string): string[] {
  return field
    .split(',', MOST_RANGES)
    .flatMap((range) => {
      const [, tag, weight = '1'] = /^\s*([a-z0-9-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i.exec(range) ?? []
      return tag === undefined || Number(weight) === 0 ? [] : [{ tag, weight: Number(weight) }]
    })
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
}
