import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SandboxError } from '../../client/sandbox-error.ts'
import { loadSettings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { packageVersion } from '../../package-root.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { type CoverageCounters, mergeCoverage, parseCoverage } from '../../sandbox/coverage/counters.ts'
import type { Coverage } from '../../sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../sandbox/coverage/describe-coverage.ts'
import { castOf } from '../../sandbox/coverage/dimensions/item.ts'
import { CATALOGUE_VERSION } from '../../sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import { COVERAGE_FOLDER } from '../../server/testing/worker-coverage.ts'
import { reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'

/** Coverage and its source. */
export interface ReadCoverage {
  /** `3 files in .agekey-coverage` */
  readonly from: string
  readonly coverage: Coverage
  /** What to know before believing the coverage. */
  readonly notes: readonly string[]
}

/**
 * Reads the coverage of files; without files that of the folder `.agekey-coverage`, or of a running sandbox.
 * @throws ConfigError or SandboxError with one line, when there is nothing to read
 */
export async function readCoverage(
  paths: readonly string[],
  flags: Texts,
  address: SandboxAddress,
): Promise<ReadCoverage> {
  const named = Object.entries(address).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`]))
  if (paths.length > 0 && named.length > 0)
    throw ConfigError.of(`${named.join(' and ')}: a sandbox is asked, and ${paths[0]} is a file; give one of them`)
  if (paths.length > 0) return readFiles(paths, flags)
  if (named.length === 0 && existsSync(COVERAGE_FOLDER)) return readFiles([COVERAGE_FOLDER], flags)
  return askSandbox(flags, address)
}

async function readFiles(paths: readonly string[], flags: Texts): Promise<ReadCoverage> {
  const files = readCoverageFiles(paths)
  const { sandbox: settings } = await loadSettings({ flags })
  const clock = createClock()
  const cast = await castOf(await loadPersonas(settings.personas), { base: clock.base(), now: clock.now() })
  const counters = mergeCoverage(
    files.map((file) => file.counters),
    packageVersion(),
  )
  const [only] = files
  const from = files.length === 1 ? only?.path : `${files.length} files in ${paths.join(', ')}`
  return {
    from: from ?? '',
    coverage: { ...counters, ...(await describeCoverage(counters, cast)) },
    notes: files.flatMap(noteOnCatalogue),
  }
}

const noteOnCatalogue = ({ path, counters: { catalogue, version } }: CoverageFile): string[] =>
  catalogue === CATALOGUE_VERSION
    ? []
    : [
        `${path}: written by agekey-sandbox ${version} with catalogue ${catalogue}; what is missing is found by ${CATALOGUE_VERSION}`,
      ]

async function askSandbox(flags: Texts, address: SandboxAddress): Promise<ReadCoverage> {
  const isNamed = address.url !== undefined || address.tenant !== undefined
  const { call, url, requireTenant } = await reachSandbox(flags, address)
  try {
    await requireTenant()
    return { from: `the sandbox at ${url}`, coverage: await call('getCoverage', {}), notes: [] }
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status !== 0 || isNamed) throw error
    throw new SandboxError(`there is no folder ${COVERAGE_FOLDER} here, and no sandbox: ${error.message}`, error)
  }
}

/** One file that was read. */
interface CoverageFile {
  readonly path: string
  readonly counters: CoverageCounters
}

/**
 * Reads coverage files, and those in folders and below. A file that is named twice is read once.
 * @throws ConfigError with one line, for a path without a coverage file
 */
function readCoverageFiles(paths: readonly string[]): readonly CoverageFile[] {
  const files = new Map(paths.flatMap(filesAt).map((path) => [realpathSync(path), path]))
  return [...files.values()].map((path) => ({ path, counters: parseCoverage(read(path), path) }))
}

function filesAt(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw ConfigError.of(`${path}: there is no such file or folder; ${HOW_TO_MAKE_ONE}`)
  if (!found.isDirectory()) return [path]
  const names = list(path).filter((name) => name.endsWith('.json'))
  if (names.length === 0)
    throw ConfigError.of(`${path}: the folder holds no coverage file (*.json); ${HOW_TO_MAKE_ONE}`)
  return names.toSorted().map((name) => join(path, name))
}

const HOW_TO_MAKE_ONE =
  'run the tests with setupSandbox({ coverage: true }), or start the sandbox with AGEKEY_SANDBOX_COVERAGE_FILE=FILE'

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch (cause) {
    throw ConfigError.of(`${folder}: cannot be read (${messageOf(cause)})`, { cause })
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const reason = codeOf(cause) === 'EISDIR' ? 'it is a folder' : messageOf(cause)
    throw ConfigError.of(`${file}: cannot be read (${reason})`, { cause })
  }
}
