import { type AuditedRow, REASONS } from '../audit-report.ts'

/** What the reports say of a row, in plain text: nothing is escaped here. */

/** What the app did, in sentences; empty when that is not known. */
export const whatAppDid = ({ evidence = '', reason = '', log = [] }: Partial<AuditedRow>): string =>
  [evidence, reason, firstOf(log)]
    .filter((text) => text !== '')
    .map((text) => capitalised(asSentence(text)))
    .join(' ')

/** What was sent, and what the app did. */
export const whatHappened = (row: AuditedRow): string => `${asSentence(row.summary)} ${whatAppDid(row)}`.trimEnd()

/** `RFC 7519 section 4.1.4; CWE-613`; empty when there is none. */
export const referencesOf = ({ refs, cwe }: Pick<AuditedRow, 'refs' | 'cwe'>): string => [...refs, ...cwe].join('; ')

/** The line of its log that says most comes first. */
const firstOf = ([line]: readonly string[]): string => (line === undefined ? '' : `its log: ${line.trim()}`)

const MEANINGS: Readonly<Record<(typeof REASONS)[number], string>> = {
  page_unknown: 'the page is neither the yes nor the no that was learned; --accepted says how success is known',
  visit_failed: 'the visit function threw an error or did not end in time',
  timed_out: 'the visit or the budget ended before the answer was delivered; raise --timeout or --budget',
  not_delivered: 'the journal does not show that the wrong answer reached the app',
  not_reached: 'the app did not begin the flow, or did not make the call that the row changes',
  control_lost: 'a right answer was refused afterwards, or the app limits requests, so that its refusals say nothing',
  masked: 'the app refuses the same answer without the fault',
  flaky: 'a second visit had another result',
}

/** A reason of an undetermined row, with what it means: `flaky: a second visit had another result`. */
export function explainReason(reason = 'no reason is known'): string {
  const known = REASONS.find((name) => name === reason)
  return known === undefined ? reason : `${known}: ${MEANINGS[known]}`
}

/** Ends a sentence. Its beginning stays: a rule may begin with `exp`. */
export const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
