import * as z from 'zod'
import { didYouMean } from '../../../age/nearest.ts'
import { excerpt, quote } from '../../../age/quote.ts'
import type { KnownFinding } from '../../../audit/options.ts'
import { nonEmpty, textWithout } from '../../../config/settings/setting.ts'
import { ConfigError } from '../../../files/config-error.ts'
import { findRow, OUTCOMES, rowId } from '../../../sandbox/outcomes/catalogue.ts'

const knownSchema = z.strictObject({
  row: textWithout(rowProblem).describe('Flow and name: use/id_token.kid_empty'),
  because: nonEmpty.describe('Why it is accepted for now'),
  until: textWithout(dateProblem).optional().describe('The last day on which it is accepted (UTC): 2027-01-31'),
})

/** The list `known:` of the file. */
export const knownFindingsSchema = z.array(knownSchema).check(refuseRepeatedRows)

/**
 * Reads findings that are given as flags, each as its row, a colon and the reason.
 * @throws ConfigError with one line that names the flag
 */
export function parseKnownFindings(entries: readonly string[]): KnownFinding[] {
  const findings = entries.map(parseKnownFinding)
  const repeated = findings.find(({ row }, index) => findings.findIndex((other) => other.row === row) !== index)
  if (repeated !== undefined) throw ConfigError.of(`--known: ${repeated.row} is given twice; keep one`)
  return findings
}

function parseKnownFinding(entry: string): KnownFinding {
  const [, row = '', because = ''] = /^([^:]*):(.*)$/s.exec(entry)?.map((part) => part.trim()) ?? []
  if (row === '' || because === '') {
    const example = '"use/id_token.kid_empty: the library takes an empty kid for none"'
    throw ConfigError.of(`--known: ${quote(entry)} is not a row, a colon and a reason, as in ${example}`)
  }
  const problem = rowProblem(row)
  if (problem !== undefined) throw ConfigError.of(`--known: ${problem}`)
  return { row, because }
}

function dateProblem(text: string): string | undefined {
  const instant = new Date(`${text}T00:00:00.000Z`)
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(instant.getTime())
  // JavaScript reads 30 February as the 2nd of March.
  if (isDate && instant.toISOString().startsWith(text)) return undefined
  return `${quote(text)} is not a date like 2027-01-31`
}

function refuseRepeatedRows({ value, issues }: z.core.ParsePayload<z.output<typeof knownSchema>[]>): void {
  for (const [index, { row }] of value.entries()) {
    if (value.findIndex((other) => other.row === row) === index) continue
    issues.push({ code: 'custom', path: [index, 'row'], message: `${row} is listed twice; keep one entry`, input: row })
  }
}

function rowProblem(text: string): string | undefined {
  if (findRow(text) !== undefined) return undefined
  const near = didYouMean(text, OUTCOMES.map(rowId)).replaceAll('"', '')
  return `there is no row ${excerpt(text)}.${near || ANY_ROW}`
}

const ANY_ROW = ' A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'
