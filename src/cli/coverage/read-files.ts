import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import type { CoverageCounters } from '../../sandbox/coverage/counters.ts'
import { parseCoverage } from '../../sandbox/coverage/parse-coverage.ts'

/** One file that was read. */
export interface CoverageFile {
  readonly path: string
  readonly counters: CoverageCounters
}

/**
 * Reads coverage files, and those in folders and below. A file that is named twice is read once.
 * @throws ConfigError with one line, for a path without a coverage file
 */
export function readCoverageFiles(paths: readonly string[]): readonly CoverageFile[] {
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
