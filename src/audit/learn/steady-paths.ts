import type { Browser } from '../agent/browser.ts'
import type { Driver } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import { type FlowParts, findProbes } from './learned-flow.ts'
import { lookAt, type SeenRun, type ShownPages, showsIn } from './see-run.ts'

/** Milliseconds to wait for a background job of the app that lets users in. */
export const MAX_WAIT_MS = 5000
export const STEP_MS = 500

/** The paths of probes that show the same on each request. */
export interface SteadyPaths {
  readonly paths: readonly string[]
  /** The runs of users who are in, with `again` added. */
  readonly ins: readonly SeenRun[]
}

/**
 * Finds the paths that show who is in, and that still do when each browser requests them again. A
 * page with changing content, such as news, may have shown a difference by chance.
 * @param controls browsers that never received an answer
 */
export async function findSteadyPaths(
  parts: FlowParts,
  controls: readonly Browser[],
  driver: Driver,
): Promise<SteadyPaths> {
  const paths = findProbes(parts).map(({ path }) => path)
  const browsersOf = (runs: readonly SeenRun[]) => runs.map(({ run }) => run.browser)
  const lookAgain = (browsers: readonly Browser[]) =>
    inTurn(browsers, (browser) => lookAt(paths, browser, driver))
  const ins = await inTurn(parts.ins, async (seen) => ({
    ...seen,
    again: await lookAt(paths, seen.run.browser, driver),
  }))
  const probes = findProbes({ ...parts, ins }).filter(({ path }) => paths.includes(path))
  const shownIns = await lookAgain(browsersOf(ins))
  const outs = parts.outs.flatMap(({ seen }) => seen)
  const shownOuts = await lookAgain([...browsersOf(outs), ...controls])
  const steady = probes.filter((probe) => {
    const isIn = (shown: ShownPages) => showsIn(probe, shown)
    return !shownIns.map(isIn).includes(false) && !shownOuts.some(isIn)
  })
  return { paths: steady.map(({ path }) => path), ins }
}

/**
 * Measures the milliseconds from an answer until a page shows that the user is in.
 * @returns twice this time as a margin; 0 if no page shows it within `MAX_WAIT_MS`
 */
export async function findWait(
  paths: readonly string[],
  { run }: SeenRun,
  controls: readonly Browser[],
  driver: Driver,
): Promise<number> {
  const [control] = controls
  if (!control) return 0
  const fresh = await lookAt(paths, control, driver)
  for (let waited = 0; waited <= MAX_WAIT_MS; waited += STEP_MS) {
    // Two requests, because a single difference may be chance.
    const ins = await inTurn([run, run], async () => ({
      run,
      probes: await lookAt(paths, run.browser, driver),
    }))
    const steady = await findSteadyPaths(
      { rules: {}, ins, outs: [], fresh, paths },
      controls,
      driver,
    )
    if (steady.paths.length > 0) return 2 * waited
    await driver.wait(STEP_MS)
  }
  return 0
}
