import { didYouMean } from '../../age/nearest.ts'
import { excerpt, quote } from '../../age/quote.ts'
import type { AuditChoices } from '../../client/shapes/audit.ts'
import { messageOf } from '../../files/caught.ts'
import { CATALOGUE_VERSIONS, findAuditRow, OUTCOMES, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { selectRows } from '../trials/select-rows.ts'

/** What names no row or version of the catalogue, or a row twice. No schema checks that: `--help` loads no catalogue. */
export function unknownNames({ catalogue, known = [], only, skip }: AuditChoices) {
  const versions: readonly string[] = CATALOGUE_VERSIONS
  const problems: { path: (string | number)[]; message: string }[] = known.flatMap(({ row }, index) => {
    const isTwice = known.findIndex((other) => other.row === row) !== index
    if (!isTwice && findAuditRow(row)) return []
    const message = isTwice ? `${row} is listed twice; keep one entry` : noRow(row)
    return [{ path: ['known', index, 'row'], message }]
  })
  if (catalogue !== undefined && !versions.includes(catalogue)) {
    const message = `${quote(catalogue)} is no version of the catalogue; there is ${versions.join(', ')}`
    problems.push({ path: ['catalogue'], message })
  }
  for (const [key, patterns] of Object.entries({ only, skip }))
    try {
      selectRows({ only: patterns })
    } catch (error) {
      problems.push({ path: [key], message: messageOf(error) })
    }
  return problems
}

function noRow(text: string): string {
  const near = didYouMean(text, OUTCOMES.map(rowId)).replaceAll('"', '')
  const form = ' A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'
  return `there is no row ${excerpt(text)}.${near || form}`
}
