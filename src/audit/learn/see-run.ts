import type { Browser } from '../agent/browser.ts'
import type { Driver } from '../drive/driver.ts'
import type { FlowRun } from '../drive/flow-run.ts'
import { type Observation, observe } from '../drive/observation.ts'
import type { DeclaredRules } from './accepted-rule.ts'
import type { Likeness } from './likeness.ts'
import { ruleHolds } from './rule-holds.ts'

/** Pages that a browser requested after the answer, by path. */
export type ShownPages = ReadonlyMap<string, Observation>

/** Everything observed in one run. The reading may change when the audit learns more. */
export interface SeenRun {
  readonly run: FlowRun
  /** Whether the rule `accepted` holds; `undefined` without this rule. */
  readonly accepted?: boolean | undefined
  /** Whether the rule `refused` holds; `undefined` without this rule. */
  readonly refused?: boolean | undefined
  readonly probes: ShownPages
  /** The pages of `probes`, requested a second time. */
  readonly again?: ShownPages
}

/** What to observe in a run besides its last page. */
export interface SeenParts {
  readonly rules: DeclaredRules
  /** If a probe has a likeness, an undecided page is requested again. */
  readonly probes: readonly { readonly path: string; readonly likeness?: Likeness }[]
  readonly waitMs: number
}

/**
 * How often undecided pages are requested again. A background job may be late, and changing content
 * may hide the difference.
 */
const MORE_LOOKS = 3
const BETWEEN_LOOKS_MS = 500

export const observed = (runs: readonly SeenRun[]): readonly Observation[] =>
  runs.map(({ run }) => run.observation)

/** Evaluates the rules in the browser of a run, and requests the probes. */
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

/** Requests pages with the cookies of a browser, like a reload. */
export async function lookAt(
  paths: readonly string[],
  browser: Browser,
  driver: Driver,
): Promise<ShownPages> {
  const seen = new Map<string, Observation>()
  for (const path of paths) {
    const shown = observe(await driver.peek(path, browser))
    // Many apps set a cookie on each request, so cookies show nothing here.
    const features = new Set([...shown.features].filter((feature) => !feature.startsWith('sets ')))
    if (shown.end === 'page' || shown.end === 'stopped') seen.set(path, { ...shown, features })
  }
  return seen
}

/** Whether no page tells whether the user is in or out. */
function isUndecided(shown: ShownPages, probes: SeenParts['probes']): boolean {
  const readings = probes.flatMap(({ path, likeness }) => {
    const page = shown.get(path)
    return page && likeness ? [likeness.compare(page).as] : []
  })
  return readings.length > 0 && readings.every((as) => as === 'unknown')
}

/**
 * Whether a probe shows the page of a user who is in; `undefined` if the page is missing or the app
 * answered 429.
 */
export function showsIn(
  { path, likeness }: { readonly path: string; readonly likeness: Likeness },
  shown: ShownPages,
): boolean | undefined {
  const page = shown.get(path)
  return page && page.status !== 429 ? likeness.compare(page).as === 'in' : undefined
}
