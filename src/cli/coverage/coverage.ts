import { existsSync, readFileSync, statSync } from 'node:fs'
import { ownEnvironment } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { type JUnitCase, renderJUnit } from '../../files/reports/junit.ts'
import { visible } from '../../files/visible.ts'
import { coverageIn } from '../../sandbox/coverage/counters.ts'
import { type Coverage, type CoverageItem, DIMENSIONS, nameOfSide } from '../../sandbox/coverage/coverage.ts'
import type { SandboxAddress } from '../remote/reach-sandbox.ts'
import { readReportFiles, writeReportFiles } from '../report-files.ts'
import { paint, paintError, print, printError } from '../terminal.ts'
import { renderCoverageMarkdown } from './markdown.ts'
import { type Minimum, missedMinimums, readMinimums } from './minimums.ts'
import { type ReadCoverage, readCoverage } from './read-coverage.ts'
import { renderTerminal } from './terminal.ts'

/** The flags of the command. A format without a file goes to standard output. */
export interface CoverageFlags extends SandboxAddress {
  readonly min?: string
  readonly json?: string | true
  readonly junit?: string | true
  readonly markdown?: string | true
}

const FORMATS = ['json', 'junit', 'markdown'] as const
type ReportFiles = Readonly<Partial<Record<(typeof FORMATS)[number], string>>>

/**
 * Reports what the tests of an app have not seen.
 * @returns the exit code: 1 when a minimum is missed
 * @throws Error with one line, when nothing can be read or a flag is wrong; no report is written then
 */
export async function coverage(paths: readonly string[], settings: Texts, flags: CoverageFlags): Promise<number> {
  const { min, url, tenant, ...given } = flags
  const minimums = readMinimums(min)
  const files = readReportFiles(given, FORMATS)
  refuseToReplaceCounters(files)
  const read = await readCoverage(paths, settings, { url, tenant })
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

/** `--json unit.json e2e.json` is meant to read two files: counters of a run are never replaced. @throws ConfigError */
function refuseToReplaceCounters(files: ReportFiles): void {
  for (const [format, file] of Object.entries(files)) {
    if (file === '-' || !holdsCounters(file)) continue
    throw ConfigError.of(
      `--${format}: ${file} holds the counters of a run, which are not replaced; name another file, or write ${file} before the flags`,
    )
  }
}

/** Whether a file holds counters of a run. A report of this command also has minimums, and may be replaced. */
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

/** JUnit XML: a testsuite for each dimension, a testcase for each side. A gap fails where a minimum is missed, and is skipped elsewhere. */
const renderCoverageJUnit = ({ dimensions }: Coverage, missed: readonly Minimum[]): string =>
  renderJUnit(
    DIMENSIONS.map((name) => {
      const isMissed = missed.some(({ dimension }) => dimension === name)
      return { name, cases: dimensions[name].items.flatMap((item) => casesOf(item, { name, isMissed })) }
    }),
  )

const casesOf = (item: CoverageItem, { name, isMissed }: { name: string; isMissed: boolean }): JUnitCase[] =>
  Object.entries(item.sides).map(([side, { count, closes }]) => {
    const about = item.claims === undefined ? '' : ` of ${item.claims}`
    const facts = { name: `${nameOfSide(item, side)}${about}`, classname: name, seconds: 0 }
    if (count > 0) return { ...facts, status: 'passed' }
    return { ...facts, status: isMissed ? 'failed' : 'skipped', detail: closes }
  })
