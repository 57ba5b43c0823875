import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageVersion } from '../../src/package-root.ts'
import { mergeCoverage, parseCoverage } from '../../src/sandbox/coverage/counters.ts'

/**
 * The coverage that the workers of a test runner have kept in a folder: its files, the answers, and
 * the requests of Use.
 */
export function readKept(folder: string) {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  const parts = files.map((name) => parseCoverage(readFileSync(join(folder, name), 'utf8'), name))
  const { claims: seen, asked } = mergeCoverage(parts, packageVersion())
  return { files: files.length, seen, uses: asked['use']?.count }
}
