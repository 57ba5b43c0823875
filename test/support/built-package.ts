import { cpSync } from 'node:fs'
import { packageOfRun } from './run.ts'

/** Puts the built package into a folder of a test's own, which the test may change. */
export async function buildPackage(folder: string): Promise<void> {
  cpSync(await packageOfRun(), folder, { recursive: true, verbatimSymlinks: true })
}
