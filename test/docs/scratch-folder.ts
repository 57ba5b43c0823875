import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const ROOT = new URL('../../', import.meta.url)

/**
 * Creates a folder whose files find the packages of `owner`, a folder with `node_modules` (default
 * the repository).
 */
export function createScratchFolder(owner: URL = ROOT): {
  readonly folder: string
  remove(): void
} {
  const cache = fileURLToPath(new URL('node_modules/.cache/agekey-sandbox/', owner))
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(`${cache}docs-`)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Creates a scratch folder that is removed when the test ends. */
export function makeScratchFolder(owner?: URL): string {
  const { folder, remove } = createScratchFolder(owner)
  onTestFinished(remove)
  return folder
}
