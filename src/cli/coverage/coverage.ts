import { existsSync, readFileSync, statSync } from 'node:fs'
import { ownEnvironment } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { visible } from '../../files/visible.ts'
import { coverageIn } from '../../sandbox/coverage/parse-coverage.ts'
import type { SandboxAddress } from '../remote/reach-sandbox.ts'
import { readReportFiles, writeReportFiles } from '../report-files.ts'
import { paint, paintError, print, printError } from '../terminal.ts'
import { type Minimum, missedMinimums, readMinimums } from './minimums.ts'
import { type ReadCoverage, readCoverage } from './read-coverage.ts'
import { renderCoverageJUnit } from './reports/junit.ts'
import { renderCoverageMarkdown } from './reports/markdown.ts'
import { renderTerminal } from './reports/terminal.ts'

/** What the command line gives; a format without a file goes to standard output. */
export interface CoverageFlags extends SandboxAddress {
  readonly min?: string
  readonly json?: string | true
  readonly junit?: string | true
  readonly markdown?: string | true
}

const FORMATS = ['json', 'junit', 'markdown'] as const
type ReportFiles = Readonly<Partial<Record<(typeof FORMATS)[number], string>>>

/**
 * Says what the tests of an app have not seen.
 * @returns the exit code: 1 when a minimum is missed
 * @throws Error with one line, when nothing can be read or a flag is wrong; no report is written then
 */
export async function coverage(paths: readonly string[], settings: Texts, flags: CoverageFlags): Promise<number> {
  const { min, url, tenant, ...given } = flags
  const minimums = readMinimums(min)
  const files = readReportFiles(outputsOf(given), FORMATS)
  refuseToReplaceCounters(files)
  const read = await readCoverage(paths, settings, {
    ...(url !== undefined && { url }),
    ...(tenant !== undefined && { tenant }),
  })
  const missed = missedMinimums(read.coverage, minimums)

  const toOutput = Object.values(files).includes('-')
  const say = toOutput ? printError : print
  say(`Coverage of ${visible(read.from)}`)
  for (const note of read.notes) say(visible(note))
  for (const line of ['', ...renderTerminal(read.coverage, { missed, colour: toOutput ? paintError : paint })])
    say(line)
  writeReports(read, files, { minimums, missed })
  return missed.length > 0 ? 1 : 0
}

/** A flag without a file asks for standard output, as `-` does. */
function outputsOf(given: Pick<CoverageFlags, (typeof FORMATS)[number]>): ReportFiles {
  const outputs = FORMATS.map((format) => [format, given[format] === true ? '-' : given[format]] as const)
  return Object.fromEntries(outputs.filter(([, file]) => file !== undefined))
}

/** `--json unit.json e2e.json` is typed for two files to read: the counters of a run are never replaced. @throws ConfigError */
function refuseToReplaceCounters(files: ReportFiles): void {
  for (const [format, file] of Object.entries(files)) {
    if (file === '-' || !holdsCounters(file)) continue
    throw ConfigError.of(
      `--${format}: ${file} holds the counters of a run, which are not replaced; name another file, or write ${file} before the flags`,
    )
  }
}

/** Of a report of this command the minimums are part, so that it can be written again. */
function holdsCounters(file: string): boolean {
  if (!existsSync(file) || !statSync(file).isFile()) return false
  const coverage = coverageIn(readFileSync(file, 'utf8'))
  return coverage !== undefined && !('minimums' in coverage)
}

function writeReports(
  { coverage, from, notes }: ReadCoverage,
  { json, junit, markdown }: ReportFiles,
  { minimums, missed }: { minimums: readonly Minimum[]; missed: readonly Minimum[] },
): void {
  const options = { from, notes, minimums, missed }
  const judged = minimums.map((minimum) => ({ ...minimum, met: !missed.includes(minimum) }))
  writeReportFiles(
    [
      {
        source: '--json',
        file: json,
        render: () => `${JSON.stringify({ ...coverage, minimums: judged }, undefined, 2)}\n`,
      },
      { source: '--junit', file: junit, render: () => renderCoverageJUnit(coverage, missed) },
      { source: '--markdown', file: markdown, render: () => renderCoverageMarkdown(coverage, options) },
    ],
    {
      file: ownEnvironment()['GITHUB_STEP_SUMMARY'] || undefined,
      render: (maxBytes) => renderCoverageMarkdown(coverage, { ...options, maxBytes }),
    },
  )
}
