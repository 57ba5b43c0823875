import { existsSync } from 'node:fs'
import { SandboxError } from '../../client/sandbox-error.ts'
import { loadSettings } from '../../config/load-settings.ts'
import type { Texts } from '../../config/text-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { packageVersion } from '../../package-root.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import type { Coverage } from '../../sandbox/coverage/coverage.ts'
import { describeCoverage } from '../../sandbox/coverage/describe-coverage.ts'
import { castOf } from '../../sandbox/coverage/dimensions/item.ts'
import { mergeCoverage } from '../../sandbox/coverage/merge-coverage.ts'
import { CATALOGUE_VERSION } from '../../sandbox/outcomes/catalogue.ts'
import { loadPersonas } from '../../sandbox/personas/load-personas.ts'
import { COVERAGE_FOLDER } from '../../server/testing/worker-coverage.ts'
import { reachSandbox, type SandboxAddress } from '../remote/reach-sandbox.ts'
import { type CoverageFile, readCoverageFiles } from './read-files.ts'

/** Coverage, and where it was read. */
export interface ReadCoverage {
  /** `3 files in .agekey-coverage` */
  readonly from: string
  readonly coverage: Coverage
  /** What to know before it is believed. */
  readonly notes: readonly string[]
}

/**
 * Reads the coverage of files; without files that of the folder `.agekey-coverage`, or of a sandbox that runs.
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
  const { call, url, requireTenant } = await reachSandbox(flags, address)
  try {
    await requireTenant()
    return { from: `the sandbox at ${url}`, coverage: await call('getCoverage', {}), notes: [] }
  } catch (error) {
    if (!(error instanceof SandboxError) || error.status !== 0 || Object.keys(address).length > 0) throw error
    throw new SandboxError(`there is no folder ${COVERAGE_FOLDER} here, and no sandbox: ${error.message}`, error)
  }
}
