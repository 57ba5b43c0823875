import { LEAN_WINDOWS } from '../../src/audit/agent/chromium/launch.ts'

/** Chromium of the tests makes no calls of its own accord. */
export const CHROMIUM_ARGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  LEAN_WINDOWS,
]
