import type { RequirementLevel } from '../outcome.ts'
import { type AuditedRow, FINDINGS, REASON_ROWS, type VerdictName } from './audit-report.ts'

/** What a report says about one row, in plain text: nothing is escaped here. */

export const isFinding = ({ verdict }: Pick<AuditedRow, 'verdict'>): boolean => FINDINGS.some((one) => one === verdict)

/** Verdicts with which nobody was let in: the app is safe, by accident or by misreading. */
const HARMLESS: readonly VerdictName[] = ['ignored', 'broke']

/** The level of a finding: at most `should` when nobody was let in. */
export const findingLevel = ({ verdict, level }: Pick<AuditedRow, 'verdict' | 'level'>): RequirementLevel =>
  HARMLESS.includes(verdict) && level === 'must' ? 'should' : level

type Told = Partial<Pick<AuditedRow, 'evidence' | 'reason' | 'log' | 'refused_by'>>

/** Access logs, and continuation lines: neither says why an app refused. */
const ASIDE = /\b[A-Z]+ \/\S*(?: HTTP\/[\d.]+)?"? [1-5]\d\d\b|^[A-Z][A-Za-z ]+: \/\S*$|^\s|^\W+$/

/** What the app did, in sentences; empty when it is unknown. */
export function whatAppDid({ evidence = '', reason = '', log = [], refused_by: check }: Told): string {
  // The line of the log that names the check comes first; without such a line the last one says most.
  const line = check === undefined ? (log.findLast((line) => !ASIDE.test(line)) ?? log.at(-1)) : log[0]
  return [evidence, reason, line === undefined ? '' : `its log: ${line.trim()}`]
    .filter((text) => text !== '')
    .map((text) => asSentence(text.charAt(0).toUpperCase() + text.slice(1)))
    .join(' ')
}

/** What was sent, and how the app reacted. */
export const whatHappened = ({ summary, ...row }: Told & Pick<AuditedRow, 'summary'>): string =>
  `${asSentence(summary)} ${whatAppDid(row)}`.trimEnd()

/** `RFC 7519 section 4.1.4; CWE-613`; empty without references. */
export const referencesOf = ({ refs, cwe }: Pick<AuditedRow, 'refs' | 'cwe'>): string => [...refs, ...cwe].join('; ')

/** Adds a full stop. The first letter stays: a rule may begin with `exp`. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** The reason of an undetermined row, with its meaning: `flaky: a second visit had another result`. */
export function explainReason(reason = 'no reason is known'): string {
  const known = REASON_ROWS.find(({ name }) => name === reason)
  return known ? `${known.name}: ${known.meaning}` : reason
}

/** The console page of a flow of the sandbox at `address`. */
export function flowAddress(address: string, id: string): string {
  // A URL cannot contain half of a surrogate pair.
  return `${address.replace(/\/$/, '')}/flows/${encodeURIComponent(id.replace(/\p{Cs}/gu, '\ufffd'))}`
}

/** `1 row`, `2 rows` */
export const countNoun = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
