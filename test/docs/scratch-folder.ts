import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/agekey-sandbox/', import.meta.url))

/** A folder inside the repository, so that its packages are found, and how it goes. */
export function createScratchFolder(): { readonly folder: string; remove(): void } {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(`${CACHE}docs-`)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** One for a test, gone when the test ends. */
export function makeScratchFolder(): string {
  const { folder, remove } = createScratchFolder()
  onTestFinished(remove)
  return folder
}
