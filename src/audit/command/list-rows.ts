import { ConfigError } from '../../files/config-error.ts'
import { CATALOGUE_VERSION, CATALOGUE_VERSIONS, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { selectRows } from '../trials/select-rows.ts'
import type { AuditSettings } from './settings.ts'

/** The rows that settings name, most severe first, as `--list` shows them. @throws ConfigError when there is none */
export function listRows({ only, skip, catalogue = CATALOGUE_VERSION }: AuditSettings) {
  const versions: readonly string[] = CATALOGUE_VERSIONS
  const rows = selectRows({ only, skip })
    .toSorted((one, other) => other.severity - one.severity)
    .map(({ family, level, severity, summary, refs, cwe, since, ...row }) => {
      // Whether the row was there in the version of the catalogue that is judged by.
      const counted = versions.indexOf(since) <= versions.indexOf(catalogue)
      const numbers = cwe.map((id) => `CWE-${id}`)
      return { row: rowId(row), family, level, severity, summary, refs, cwe: numbers, since, counted }
    })
  if (rows.length === 0) throw ConfigError.of('--only and --skip together leave no row; --list alone shows all of them')
  const newer = rows.filter(({ counted }) => !counted).length
  const rest = newer === 0 ? '' : `; ${newer} of them were added later and do not count`
  return {
    json: { catalogue, rows },
    cells: rows.map(({ row, level, refs, counted }) => [
      row,
      counted ? level : `${level}, not counted`,
      refs.join('; '),
    ]),
    summary: `${rows.length} rows, judged by catalogue ${catalogue}${rest}`,
  }
}
