import { FLAGS, type Texts } from '../../config/text-settings.ts'
import type { AuditRequest } from './read-flags.ts'

/**
 * What is typed to audit the same app once more: the call without the flags that say which rows, and without those of reports.
 * @param flags the settings that were given as flags
 */
export function sameCall(
  { page, accepted, browser, start, sandboxUrl, isOwnApp, limits }: AuditRequest,
  flags: Texts,
): string {
  const words = [
    'npx agekey-sandbox audit',
    ...(page === undefined ? [] : [shellWord(page)]),
    ...(accepted === undefined ? [] : ['--accepted', shellWord(accepted)]),
    ...(browser.kind === 'auto' || browser.cdpUrl !== undefined || browser.isHeaded ? [] : ['--browser', browser.kind]),
    ...(browser.cdpUrl === undefined ? [] : ['--cdp', shellWord(browser.cdpUrl)]),
    ...(browser.isHeaded ? ['--headed'] : []),
    ...(start === undefined ? [] : ['--start', shellWord(start)]),
    ...(sandboxUrl === undefined ? [] : ['--url', shellWord(sandboxUrl)]),
    ...(isOwnApp ? ['--this-app-is-mine'] : []),
    ...(limits.timeoutSeconds === undefined ? [] : ['--timeout', String(limits.timeoutSeconds)]),
    ...(limits.slow ? ['--slow'] : []),
    ...FLAGS.flatMap(({ name, argument }) => {
      const text = flags[name]
      if (text === undefined) return []
      if (argument === undefined) return [`--${name}`]
      // A secret is not repeated.
      const values = name.endsWith('token') ? ['TOKEN'] : [text].flat().map(shellWord)
      return [`--${name}`, ...values]
    }),
  ]
  return words.join(' ')
}

/** A text as one word of a shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
