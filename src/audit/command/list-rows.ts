import { ConfigError } from '../../files/config-error.ts'
import { CATALOGUE_VERSION, CATALOGUE_VERSIONS, rowId } from '../../sandbox/outcomes/catalogue.ts'
import { selectRows } from '../trials/select-rows.ts'
import type { AuditHost } from './session.ts'
import type { AuditSettings } from './settings.ts'

/** Shows the rows that settings name, most severe first, or writes them as JSON. @throws ConfigError when there is none */
export function listRows({ only, skip, catalogue = CATALOGUE_VERSION, json }: AuditSettings, host: AuditHost): void {
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
  if (json !== undefined) {
    const render = () => `${JSON.stringify({ catalogue, rows }, undefined, 2)}\n`
    host.writeFiles([{ source: '--json', file: json, render }])
    return
  }
  const cells = rows.map((one) => [one.row, one.counted ? one.level : `${one.level}, not counted`, one.refs.join('; ')])
  const newer = rows.filter(({ counted }) => !counted).length
  const rest = newer === 0 ? '' : `; ${newer} of them were added later and do not count`
  for (const line of [...host.alignColumns(cells), '']) host.say(line)
  host.say(`${rows.length} rows, judged by catalogue ${catalogue}${rest}`)
}
