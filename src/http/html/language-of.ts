import { readCookie } from '../cookie.ts'
import type { Incoming } from '../incoming.ts'
import { findLanguage } from './messages.ts'

/** The cookie that holds the user's previous choice of a language. */
export const LANGUAGE_COOKIE = 'agekey_sandbox_language'

/**
 * The language of a hosted page, in this order: chosen on the page itself, requested by `language`, remembered by the cookie,
 * preferred by the browser, English. A tag without texts is skipped.
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
