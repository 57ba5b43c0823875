import { readCookie } from '../cookie.ts'
import type { Incoming } from '../incoming.ts'
import { type Html, html } from './html.ts'
import ar from './messages/ar.json' with { type: 'json' }
import de from './messages/de.json' with { type: 'json' }
import en from './messages/en.json' with { type: 'json' }
import es from './messages/es.json' with { type: 'json' }
import fr from './messages/fr.json' with { type: 'json' }
import ja from './messages/ja.json' with { type: 'json' }
import pt from './messages/pt.json' with { type: 'json' }

/**
 * The key of a text on hosted pages. Every language file has all keys with the same placeholders.
 */
export type MessageKey = keyof typeof en

/**
 * Returns the text of a key, with each `{placeholder}` replaced. The result is plain text, which
 * the `html` tag escapes.
 */
export interface Translate {
  (key: MessageKey, values?: Readonly<Record<string, string | number>>): string
  readonly lang: string
}

/**
 * The texts of the hosted pages by BCP 47 tag in lower case. A new language needs a file and an
 * entry here.
 */
export const LANGUAGES: Readonly<Record<string, Readonly<Record<MessageKey, string>>>> = {
  en,
  de,
  fr,
  es,
  pt,
  ja,
  ar,
}

const RIGHT_TO_LEFT: readonly string[] = ['ar']

/**
 * Finds the known language with which a BCP 47 tag begins, by whole subtags. The tag may come from
 * a header, so its length is not limited.
 * @example
 * findLanguage('fr-CA') // 'fr'
 * findLanguage('frr') // undefined
 */
export function findLanguage(tag: string): string | undefined {
  const wanted = `${tag.toLowerCase()}-`
  return Object.keys(LANGUAGES).find((known) => wanted.startsWith(`${known}-`))
}

export const directionOf = (lang: string): 'ltr' | 'rtl' =>
  RIGHT_TO_LEFT.includes(lang) ? 'rtl' : 'ltr'

/**
 * The texts of the language that fits the tag, otherwise English. The returned function throws an
 * Error when a placeholder has no value.
 */
export function translate(tag = 'en'): Translate {
  const lang = findLanguage(tag) ?? 'en'
  const messages = LANGUAGES[lang] ?? en
  const text = (key: MessageKey, values: Readonly<Record<string, string | number>> = {}) =>
    messages[key].replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`message ${key}: no value for {${name}}`)
      return String(value)
    })
  text.lang = lang
  return text
}

/**
 * The attributes that mark English text on a page in another language, for screen readers and text
 * direction; `false` on an English page.
 */
export const englishOn = ({ lang }: Translate): Html | false =>
  lang !== 'en' && html` lang="en" dir="ltr"`

/** The cookie with the language that the user chose last. */
export const LANGUAGE_COOKIE = 'agekey_sandbox_language'

/**
 * The language of a hosted page. The first source with a known language wins: the menu on the page,
 * the request parameter `language`, the cookie, the browser, English.
 */
export function languageOf(
  request: Incoming,
  { chosen, asked }: { chosen?: string | undefined; asked?: string | undefined },
): string {
  const previous = readCookie(request, LANGUAGE_COOKIE)
  const tags = [chosen, asked, previous, ...request.acceptedLanguages]
  for (const tag of tags) {
    const language = tag === undefined ? undefined : findLanguage(tag)
    if (language !== undefined) return language
  }
  return 'en'
}
