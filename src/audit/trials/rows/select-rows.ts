import type * as z from 'zod'
import { messageOf } from '../../../sandbox/files/caught.ts'
import {
  AUDIT_ROWS,
  CATALOGUE_VERSIONS,
  findAuditRow,
  OUTCOMES,
  rowId,
} from '../../../sandbox/outcomes/catalogue.ts'
import type { AuditRow } from '../../../sandbox/outcomes/outcome.ts'
import { didYouMean, excerpt, listed, quote } from '../../../service/text/message-parts.ts'
import type { AuditChoices } from '../../choices.ts'

/** The values that a pattern such as `family:signature` compares, by its first word. */
const KINDS = new Map<string, (row: AuditRow) => readonly string[]>([
  ['family', ({ family }) => [family]],
  ['flow', ({ flow }) => [flow]],
  ['cwe', ({ cwe }) => cwe.map(String)],
  ['level', ({ level }) => [level]],
])

const PATTERNS = 'use/id_token.*, family:signature, flow:create, cwe:347 and level:must'

/**
 * Selects rows of the catalogue: rows that match a pattern of `only` (default: all rows) and no
 * pattern of `skip`.
 * @throws Error with one line for a pattern that matches no row
 * @example
 * ```ts
 * selectRows({ only: ['use/id_token.*', 'level:must'], skip: ['cwe:347'] })
 * ```
 */
export function selectRows({
  only = [],
  skip = [],
}: Pick<AuditChoices, 'only' | 'skip'>): readonly AuditRow[] {
  const wanted = only.flatMap(rowsNamed)
  const skipped = skip.flatMap(rowsNamed)
  return AUDIT_ROWS.filter(
    (row) => (only.length === 0 || wanted.includes(row)) && !skipped.includes(row),
  )
}

function rowsNamed(pattern: string): readonly AuditRow[] {
  const [, kind = '', value = ''] = /^(\w+):(.*)$/.exec(pattern) ?? []
  const valuesOf = KINDS.get(kind)
  const glob = new RegExp(
    `^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`,
  )
  const rows = AUDIT_ROWS.filter((row) =>
    valuesOf ? valuesOf(row).includes(value.replace(/^CWE-/i, '')) : glob.test(rowId(row)),
  )
  if (rows.length > 0) return rows
  const known = [...new Set(AUDIT_ROWS.flatMap(valuesOf ?? rowId))]
  const all = valuesOf ? `Known are ${listed(known)}.` : `Patterns are ${PATTERNS}.`
  throw new Error(
    `${JSON.stringify(pattern)} names no row.${didYouMean(valuesOf ? value : pattern, known) || ` ${all}`}`,
  )
}

const FORM =
  ' A row is a flow and a name, as in use/id_token.expired; agekey-sandbox audit --list shows them'

/** A zod check that refuses unknown rows, unknown catalogue versions and repeated rows. */
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
    refuse(
      `${quote(catalogue)} is no version of the catalogue; there is ${versions.join(', ')}`,
      'catalogue',
    )
  for (const [key, patterns] of Object.entries({ only, skip }))
    try {
      selectRows({ only: patterns })
    } catch (error) {
      refuse(messageOf(error), key)
    }
}
