import type { Browser } from '../agent/browser.ts'
import type { Driver } from '../drive/driver.ts'
import type { FlowRun } from '../drive/flow-run.ts'
import { type Observation, observe } from '../drive/observation.ts'
import type { DeclaredRules } from './accepted-rule.ts'
import type { Likeness } from './likeness.ts'
import { ruleHolds } from './rule-holds.ts'

/** Pages that a browser requested again, by their paths. */
export type ShownPages = ReadonlyMap<string, Observation>

/** Everything seen of one run. Its reading may change when more of the app is known. */
export interface SeenRun {
  readonly run: FlowRun
  /** Whether the rule `accepted` holds; `undefined` without the rule. */
  readonly accepted?: boolean | undefined
  readonly refused?: boolean | undefined
  readonly probes: ShownPages
  /** The same pages, requested once more. */
  readonly again?: ShownPages
}

/** What to see of a run besides its last page. */
export interface SeenParts {
  readonly rules: DeclaredRules
  /** With a likeness, an undecided page is requested again. */
  readonly probes: readonly { readonly path: string; readonly likeness?: Likeness }[]
  readonly waitMs: number
}

/**
 * How often undecided pages are requested again: a job of the app may be late, and news may hide
 * the difference.
 */
const MORE_LOOKS = 3
const BETWEEN_LOOKS_MS = 500

export const observed = (runs: readonly SeenRun[]): readonly Observation[] =>
  runs.map(({ run }) => run.observation)

/** Checks the rules in the browser of a run, and requests its probes. */
export async function seeRun(
  run: FlowRun,
  { rules, probes, waitMs }: SeenParts,
  driver: Driver,
): Promise<SeenRun> {
  if (probes.length > 0 && waitMs > 0) await driver.wait(waitMs)
  const accepted = rules.accepted && (await ruleHolds(rules.accepted, run, driver))
  const refused = rules.refused && (await ruleHolds(rules.refused, run, driver))
  const paths = probes.map(({ path }) => path)
  let shown = await lookAt(paths, run.browser, driver)
  for (let looks = 0; looks < MORE_LOOKS && isUndecided(shown, probes); looks++) {
    await driver.wait(Math.max(waitMs, BETWEEN_LOOKS_MS))
    shown = await lookAt(paths, run.browser, driver)
  }
  return { run, accepted, refused, probes: shown }
}

/** Requests pages, as after a reload. */
export async function lookAt(
  paths: readonly string[],
  browser: Browser,
  driver: Driver,
): Promise<ShownPages> {
  const seen = new Map<string, Observation>()
  for (const path of paths) {
    const shown = observe(await driver.peek(path, browser))
    // A cookie that the app sets at each request shows nothing.
    const features = new Set([...shown.features].filter((feature) => !feature.startsWith('sets ')))
    if (shown.end === 'page' || shown.end === 'stopped') seen.set(path, { ...shown, features })
  }
  return seen
}

/** Whether no page resembles that of a user who is in, or that of a user who is out. */
function isUndecided(shown: ShownPages, probes: SeenParts['probes']): boolean {
  const readings = probes.flatMap(({ path, likeness }) => {
    const page = shown.get(path)
    return page && likeness ? [likeness.compare(page).as] : []
  })
  return readings.length > 0 && readings.every((as) => as === 'unknown')
}

/**
 * Whether a probe shows a browser the page of users who are in; `undefined` when the page did not
 * come.
 */
export function showsIn(
  { path, likeness }: { readonly path: string; readonly likeness: Likeness },
  shown: ShownPages,
): boolean | undefined {
  const page = shown.get(path)
  return page && page.status !== 429 ? likeness.compare(page).as === 'in' : undefined
}
