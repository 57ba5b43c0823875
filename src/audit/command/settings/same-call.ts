import { flagWord } from '../../../service/text/shell-word.ts'
import { flagsOf, type GivenFlags } from './flags.ts'

/**
 * The command that audits the same app again, without flags about rows and reports.
 * @param settings the flags of the sandbox, as typed
 */
export function sameCall(
  page: string | undefined,
  flags: GivenFlags,
  settings: readonly string[],
): string {
  const words = ['npx agekey-sandbox audit']
  if (page !== undefined) words.push(flagWord(page))
  for (const { name, value, isOfApp } of flagsOf(flags)) {
    if (!isOfApp) continue
    words.push(`--${name}`)
    if (typeof value === 'string') words.push(flagWord(value))
  }
  return [...words, ...settings].join(' ')
}
