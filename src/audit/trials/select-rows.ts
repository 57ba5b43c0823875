import { didYouMean, listed } from '../../age/nearest.ts'
import { AUDIT_ROWS, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { type AuditRow, LEVELS, OUTCOME_FLOWS } from '../../sandbox/outcomes/outcome.ts'

/** What stands before the colon of a pattern, and whether a row has the value behind it. */
const KINDS: Readonly<Record<string, (row: AuditRow, value: string) => boolean>> = {
  family: (row, value) => row.family === value,
  flow: (row, value) => row.flow === value,
  cwe: (row, value) => row.cwe.some((id) => String(id) === value.replace(/^CWE-/i, '')),
  level: (row, value) => row.level === value,
}

/**
 * The rows of the catalogue that patterns name: `use/id_token.*`, `family:signature`, `flow:create`, `cwe:347`, `level:must`.
 * @throws Error with one line for a pattern that names no row
 */
export function selectRows({
  only = [],
  skip = [],
}: {
  only?: readonly string[] | undefined
  skip?: readonly string[] | undefined
}): readonly AuditRow[] {
  const wanted = only.map(matcherOf)
  const left = skip.map(matcherOf)
  return AUDIT_ROWS.filter(
    (row) => (wanted.length === 0 || wanted.some((matches) => matches(row))) && !left.some((matches) => matches(row)),
  )
}

type Matcher = (row: AuditRow) => boolean

function matcherOf(pattern: string): Matcher {
  const matches = matcherWithoutCheck(pattern)
  if (AUDIT_ROWS.some(matches)) return matches
  throw new Error(`${JSON.stringify(pattern)} names no row.${suggestion(pattern)}`)
}

function matcherWithoutCheck(pattern: string): Matcher {
  const [, kind = '', value = ''] = /^(\w+):(.+)$/.exec(pattern) ?? []
  const has = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  if (has) return (row) => has(row, value)
  const glob = new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`)
  return (row) => glob.test(rowId(row))
}

const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&')

function suggestion(pattern: string): string {
  const [, kind = '', value = ''] = /^(\w+):(.*)$/.exec(pattern) ?? []
  const known = new Map<string, readonly string[]>([
    ['family', [...new Set(AUDIT_ROWS.map((row) => row.family))]],
    ['flow', OUTCOME_FLOWS],
    ['level', LEVELS],
    ['cwe', [...new Set(AUDIT_ROWS.flatMap((row) => row.cwe.map(String)))]],
  ])
  const values = known.get(kind)
  if (values) return didYouMean(value, values) || ` Known are ${listed(values)}.`
  const near = didYouMean(pattern, AUDIT_ROWS.map(rowId))
  return near || ' Patterns are use/id_token.*, family:signature, flow:create, cwe:347 and level:must.'
}
