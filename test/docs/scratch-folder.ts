import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/agekey-sandbox/', import.meta.url))

/** A folder for one test, inside the repository so that its packages are found; gone when the test ends. */
export function makeScratchFolder(): string {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(`${CACHE}docs-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
