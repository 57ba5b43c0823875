import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createClock } from '../../../sandbox/clock/clock.ts'
import { type Coverage, DIMENSIONS } from '../../../sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../../sandbox/coverage/describe-coverage.ts'
import { closingPersonas } from '../../../sandbox/coverage/dimensions/gap-closing.ts'
import { coverageIn, mergeSeen, parseCoverage } from '../../../sandbox/coverage/seen-by-clients.ts'
import { messageOf } from '../../../sandbox/files/caught.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import { fileError, MAX_REPORT_BYTES, readTextFile } from '../../../sandbox/files/text-file.ts'
import { CATALOGUE_VERSION } from '../../../sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../../sandbox/personas/load-personas.ts'
import { SandboxError } from '../../../server/client/sandbox-error.ts'
import { loadSettings, ownEnvironment } from '../../../server/config/load-settings.ts'
import type { Texts } from '../../../server/config/text-settings.ts'
import { quote, unknownName } from '../../../service/text/message-parts.ts'
import { visible } from '../../../service/text/visible.ts'
import { COVERAGE_FOLDER } from '../../kits/worker-coverage.ts'
import { reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { readReportFiles, writeReportFiles } from '../report-files.ts'
import { paint, paintError, print, printError } from '../terminal.ts'
import {
  type Minimum,
  renderCoverageJUnit,
  renderCoverageMarkdown,
  renderTerminal,
} from './report.ts'

/** The flags of the command. A format with the value `true` goes to standard output. */
export interface CoverageFlags extends SandboxAddress {
  readonly min?: string
  readonly json?: string | true
  readonly junit?: string | true
  readonly markdown?: string | true
}

/**
 * Reports what the tests of an app have not seen.
 * @returns the exit code: 1 if a minimum is missed, otherwise 0
 * @throws Error with one line when no coverage can be read or a flag is wrong; then no report is
 * written
 */
export async function coverage(
  paths: readonly string[],
  settings: Texts,
  flags: CoverageFlags,
): Promise<number> {
  const { min, url, tenant, ...given } = flags
  const minimums = readMinimums(min)
  const files = readReportFiles(given, ['json', 'junit', 'markdown'])
  refuseToReplaceRuns(files)
  const { coverage, from, notes } = await readCoverage(paths, settings, { url, tenant })
  const missed = missedMinimums(coverage, minimums)

  const toOutput = Object.values(files).includes('-')
  const say = toOutput ? printError : print
  say(`Coverage of ${visible(from)}`)
  for (const note of notes) say(visible(note))
  for (const line of [
    '',
    ...renderTerminal(coverage, { missed, colour: toOutput ? paintError : paint }),
  ])
    say(line)

  const judged = minimums.map((minimum) => ({ ...minimum, met: !missed.includes(minimum) }))
  const asJson = () => `${JSON.stringify({ ...coverage, minimums: judged }, undefined, 2)}\n`
  const asMarkdown = (maxBytes?: number) =>
    renderCoverageMarkdown(coverage, {
      from,
      notes,
      minimums,
      missed,
      ...(maxBytes !== undefined && { maxBytes }),
    })
  writeReportFiles(
    [
      { source: '--json', file: files.json, render: asJson },
      { source: '--junit', file: files.junit, render: () => renderCoverageJUnit(coverage, missed) },
      { source: '--markdown', file: files.markdown, render: () => asMarkdown() },
    ],
    { file: ownEnvironment()['GITHUB_STEP_SUMMARY'] || undefined, render: asMarkdown },
  )
  return missed.length > 0 ? 1 : 0
}

/**
 * Parses the flag `--min`.
 * @throws ConfigError with one line
 * @example
 * ```ts
 * readMinimums('answers=100') // [{ dimension: 'answers', percent: 100 }]
 * ```
 */
export function readMinimums(text: string | undefined): readonly Minimum[] {
  if (text === undefined) return []
  const minimums = text.split(',').map((entry) => readMinimum(entry.trim()))
  const twice = minimums.find(
    ({ dimension }, index) => minimums.findIndex((one) => one.dimension === dimension) !== index,
  )
  if (twice !== undefined)
    throw ConfigError.of(`--min: ${twice.dimension} is given twice; keep one`)
  return minimums
}

function readMinimum(entry: string): Minimum {
  const [, name, number = ''] = /^([^=]*)=(.*)$/s.exec(entry) ?? []
  if (name === undefined)
    throw ConfigError.of(`--min: ${quote(entry)} is not a dimension and a percent like answers=100`)
  const dimension = DIMENSIONS.find((known) => known === name)
  if (dimension === undefined)
    throw ConfigError.of(`--min: ${unknownName('dimension', name, DIMENSIONS)}`)
  const percent = /^\d{1,3}(\.\d{1,9})?$/.test(number) ? Number(number) : Number.NaN
  if (percent >= 0 && percent <= 100) return { dimension, percent }
  throw ConfigError.of(`--min: ${dimension}: ${quote(number)} is not a number from 0 to 100`)
}

/** The missed minimums. */
export const missedMinimums = (
  { dimensions }: Coverage,
  minimums: readonly Minimum[],
): readonly Minimum[] =>
  minimums.filter((minimum) => {
    const { covered, total, percent } = dimensions[minimum.dimension]
    // `percent` is rounded down; the exact value decides.
    return (total === 0 ? percent : (100 * covered) / total) < minimum.percent
  })

/**
 * Refuses to overwrite the coverage of a run: users may mean `--json unit.json e2e.json` to read
 * two files.
 * @throws ConfigError with one line
 */
function refuseToReplaceRuns(files: Readonly<Record<string, string>>): void {
  for (const [format, file] of Object.entries(files)) {
    if (file === '-' || !holdsRun(file)) continue
    throw ConfigError.of(
      `--${format}: ${file} holds the coverage of a run, which is not replaced; name another file, or write ${file} before the flags`,
    )
  }
}

/**
 * Whether a file holds the coverage of a run. A report of this command has `minimums` and may be
 * overwritten.
 */
function holdsRun(file: string): boolean {
  if (!existsSync(file) || !statSync(file).isFile()) return false
  const read = readTextFile(file, { maxBytes: MAX_REPORT_BYTES })
  const coverage = read.ok ? coverageIn(read.text) : undefined
  return coverage !== undefined && !('minimums' in coverage)
}

/** Coverage and its source. */
interface ReadCoverage {
  /** The source in words: `3 files in .agekey-coverage`. */
  readonly from: string
  readonly coverage: Coverage
  /** What to know before believing the coverage. */
  readonly notes: readonly string[]
}

/**
 * Reads the coverage from files. Without files, reads the folder `.agekey-coverage`, or asks a
 * running sandbox.
 * @throws ConfigError or SandboxError with one line when there is nothing to read
 */
async function readCoverage(
  paths: readonly string[],
  flags: Texts,
  address: SandboxAddress,
): Promise<ReadCoverage> {
  const named = Object.entries(address).flatMap(([flag, value]) =>
    value === undefined ? [] : [`--${flag}`],
  )
  if (paths.length > 0 && named.length > 0)
    throw ConfigError.of(
      `${named.join(' and ')}: a sandbox is asked, and ${paths[0]} is a file; give one of them`,
    )
  if (paths.length > 0) return readFiles(paths, flags)
  if (named.length === 0 && existsSync(COVERAGE_FOLDER)) return readFiles([COVERAGE_FOLDER], flags)
  const { call, url, requireTenant } = await reachSandbox(flags, address)
  try {
    await requireTenant()
    return { from: `the sandbox at ${url}`, coverage: await call('getCoverage', {}), notes: [] }
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status !== 0 || named.length > 0) throw error
    throw new SandboxError(
      `there is no folder ${COVERAGE_FOLDER} here, and no sandbox: ${error.message}`,
      error,
    )
  }
}

/**
 * Reads coverage files, and all coverage files in folders and subfolders. A file that is named
 * twice is read once.
 */
async function readFiles(paths: readonly string[], flags: Texts): Promise<ReadCoverage> {
  const byRealPath = new Map(paths.flatMap(filesAt).map((path) => [realpathSync(path), path]))
  const files = [...byRealPath.values()].map((path) => ({
    path,
    seen: parseCoverage(readCoverageText(path), path),
  }))
  const { sandbox: settings } = await loadSettings({ flags })
  const clock = createClock()
  const personas = await closingPersonas(await loadPersonas(settings.personas), {
    base: clock.base(),
    now: clock.now(),
  })
  const coverage = await describeCoverage(mergeSeen(files.map(({ seen }) => seen)), personas)
  const [only] = files
  const from = files.length === 1 ? only?.path : `${files.length} files in ${paths.join(', ')}`
  const notes = files
    .filter(({ seen }) => seen.catalogue !== CATALOGUE_VERSION)
    .map(
      ({ path, seen: { catalogue, version } }) =>
        `${path}: written by agekey-sandbox ${version} with catalogue ${catalogue}; what is missing is found by ${CATALOGUE_VERSION}`,
    )
  return { from: from ?? '', coverage, notes }
}

const HOW_TO_MAKE_ONE =
  'run the tests with setupSandbox({ coverage: true }), or start the sandbox with AGEKEY_SANDBOX_COVERAGE_FILE=FILE'

/** The coverage files at a path. @throws ConfigError with one line when there is no such file */
function filesAt(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined)
    throw ConfigError.of(`${path}: there is no such file or folder; ${HOW_TO_MAKE_ONE}`)
  if (!found.isDirectory()) return [path]
  const all = listFolder(path)
  const names = all.filter((name) => name.endsWith('.json'))
  if (names.length === 0)
    throw ConfigError.of(`${path}: the folder holds no coverage file (*.json); ${HOW_TO_MAKE_ONE}`)
  return names.toSorted().map((name) => join(path, name))
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
  } catch (cause) {
    throw ConfigError.of(`${path}: cannot be read (${messageOf(cause)})`, { cause })
  }
}

function readCoverageText(path: string): string {
  const read = readTextFile(path, { maxBytes: MAX_REPORT_BYTES })
  if (read.ok) return read.text
  throw fileError(path, read)
}
