import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeSeen, parseCoverage } from '../../src/sandbox/coverage/seen-by-clients.ts'

/**
 * The coverage that the workers of a test runner have kept in a folder: the number of its files, and
 * the names in them.
 */
export function readKept(folder: string) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const parts = files.map((name) => parseCoverage(readFileSync(join(folder, name), 'utf8'), name))
  return { files: files.length, names: mergeSeen(parts).names }
}

/** The endings among the names of a coverage. */
export const endingsIn = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith('ending ')).map((name) => name.slice('ending '.length))
