import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where `buildPackage` keeps what it has built in this run of the tests. */
    builtFolder: string
  }
}

/** Makes the folder before the tests of a project, and removes it behind them. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'agekey-built-'))
  project.provide('builtFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
