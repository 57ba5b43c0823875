import { writeFileSync } from 'node:fs'
import { selectRows } from '../../audit/plan/select-rows.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { CATALOGUE_VERSION, CATALOGUE_VERSIONS, rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { Outcome } from '../../sandbox/outcomes/outcome.ts'
import { alignColumns, print } from '../terminal.ts'
import type { AuditFile } from './file/read-audit-file.ts'
import type { AuditRequest } from './read-flags.ts'

/** Lists the rows that the flags name, most severe first, and runs nothing. @returns the exit code */
export function list({ only, skip, files, catalogue }: AuditRequest, file: AuditFile | undefined): number {
  const version = catalogue ?? file?.values.catalogue ?? CATALOGUE_VERSION
  const rows = selectRows({ only, skip }).toSorted((one, other) => other.severity - one.severity)
  if (rows.length === 0) throw ConfigError.of('--only and --skip together leave no row; --list alone shows all of them')
  const listed = rows.map((row) => describe(row, version))
  if (files.json === undefined) {
    for (const line of linesOf(listed, version)) print(line)
    return 0
  }
  const json = JSON.stringify({ catalogue: version, rows: listed }, undefined, 2)
  if (files.json === '-') print(json)
  else write(files.json, json)
  return 0
}

interface ListedRow {
  readonly row: string
  readonly family: string
  readonly level: string
  readonly severity: number
  readonly summary: string
  readonly refs: readonly string[]
  readonly cwe: readonly string[]
  readonly since: string
  /** Whether the row was there in the version of the catalogue that is judged by. */
  readonly counted: boolean
}

function describe(row: Outcome, version: string): ListedRow {
  const { family, level, severity, summary, refs, cwe, since } = row
  const versions: readonly string[] = CATALOGUE_VERSIONS
  const counted = versions.indexOf(since) <= versions.indexOf(version)
  return { row: rowId(row), family, level, severity, summary, refs, cwe: cwe.map((id) => `CWE-${id}`), since, counted }
}

function linesOf(rows: readonly ListedRow[], version: string): string[] {
  const lines = alignColumns(
    rows.map(({ row, level, refs, counted }) => [row, counted ? level : `${level}, not counted`, refs.join('; ')]),
  )
  const newer = rows.filter(({ counted }) => !counted).length
  const rest = newer === 0 ? '' : `; ${newer} of them were added later and do not count`
  return [...lines, '', `${rows.length} rows, judged by catalogue ${version}${rest}`]
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, `${text}\n`)
  } catch (cause) {
    throw ConfigError.of(`--json: ${file} cannot be written (${messageOf(cause)})`, { cause })
  }
}
