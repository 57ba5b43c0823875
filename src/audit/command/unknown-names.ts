import type * as z from 'zod'
import type { AuditChoices } from '../../client/shapes.ts'
import { messageOf } from '../../files/caught.ts'
import { CATALOGUE_VERSIONS, findAuditRow, OUTCOMES, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { didYouMean, excerpt, quote } from '../../text/message-parts.ts'
import { selectRows } from '../trials/select-rows.ts'

const FORM = ' A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'

/** The check of a schema: refuses what names no row or version of the catalogue, or a row twice. */
export function requireKnownNames({ value, issues }: z.core.ParsePayload<AuditChoices>): void {
  const { catalogue, known = [], only, skip } = value
  const versions: readonly string[] = CATALOGUE_VERSIONS
  const refuse = (message: string, ...path: PropertyKey[]) =>
    issues.push({ code: 'custom', path, message, input: value })
  for (const [index, { row }] of known.entries()) {
    const isTwice = known.findIndex((other) => other.row === row) !== index
    if (isTwice) refuse(`${row} is listed twice; keep one entry`, 'known', index, 'row')
    else if (!findAuditRow(row)) {
      const near = didYouMean(row, OUTCOMES.map(rowId)).replaceAll('"', '')
      refuse(`there is no row ${excerpt(row)}.${near || FORM}`, 'known', index, 'row')
    }
  }
  if (catalogue !== undefined && !versions.includes(catalogue))
    refuse(`${quote(catalogue)} is no version of the catalogue; there is ${versions.join(', ')}`, 'catalogue')
  for (const [key, patterns] of Object.entries({ only, skip }))
    try {
      selectRows({ only: patterns })
    } catch (error) {
      refuse(messageOf(error), key)
    }
}
