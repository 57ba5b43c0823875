import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { replaceFile } from '../../files/private-file.ts'
import { preparePrivateFolder } from '../../files/private-folder.ts'
import { type AuditedRow, VERDICTS, type VerdictName } from '../../sandbox/outcomes/audit-report.ts'
import { findRow } from '../../sandbox/outcomes/catalogue.ts'

const FOLDER = '.agekey-audit'
const FILE = `${FOLDER}/last.json`

/** What `--again` looks at. */
const UNSETTLED: readonly VerdictName[] = ['let in', 'broke', 'too strict', 'undetermined', 'stale']

const lastRunSchema = z.object({
  /** As it was given: `{port}` is another one each time. */
  app: z.string(),
  rows: z.array(z.object({ row: z.string(), verdict: z.enum(VERDICTS) })),
})
type LastRun = z.infer<typeof lastRunSchema>

/**
 * The rows of the last audit of an app that failed or were undetermined.
 * @throws ConfigError with one line, when there was none, it was of another app, or nothing is left
 */
export function readUnsettled(app: string): readonly string[] {
  const { rows, app: lastApp } = readLastRun()
  if (lastApp !== app)
    throw ConfigError.of(`--again: the last audit was of ${lastApp}, not of ${app}; run it without --again first`)
  // Of another version of the catalogue a row may be gone.
  const unsettled = rows.filter(({ row, verdict }) => UNSETTLED.includes(verdict) && findRow(row)).map(({ row }) => row)
  if (unsettled.length === 0)
    throw ConfigError.of(
      `--again: in the last audit of ${app} nothing failed or was undetermined; run it without --again`,
    )
  return unsettled
}

/** Keeps the verdicts of a whole audit. @throws ConfigError with one line, when they cannot be written */
export async function keepRun(app: string, rows: readonly AuditedRow[]): Promise<void> {
  await write({ app, rows: rows.map(({ row, verdict }) => ({ row, verdict })) })
}

/** Puts the verdicts of some rows in the place of those of the last audit, so that the next `--again` looks at the rest. */
export async function renewRun(app: string, rows: readonly AuditedRow[]): Promise<void> {
  const verdicts = new Map(rows.map(({ row, verdict }) => [row, verdict]))
  const renewed = readLastRun().rows.map(({ row, verdict }) => ({ row, verdict: verdicts.get(row) ?? verdict }))
  await write({ app, rows: renewed })
}

function readLastRun(): LastRun {
  try {
    return lastRunSchema.parse(JSON.parse(readFileSync(FILE, 'utf8')))
  } catch (cause) {
    const reason =
      codeOf(cause) === 'ENOENT' ? 'there is no last audit in this folder' : `${FILE} is not what an audit wrote`
    throw ConfigError.of(`--again: ${reason}; run it without --again first`, { cause })
  }
}

async function write(run: LastRun): Promise<void> {
  try {
    await preparePrivateFolder(FOLDER)
    await replaceFile(FILE, `${JSON.stringify(run, undefined, 2)}\n`, { mode: 0o600 })
  } catch (cause) {
    throw ConfigError.of(`${FILE}: cannot be written (${messageOf(cause)})`, { cause })
  }
}
