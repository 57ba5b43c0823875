import type { Browser } from '../agent/browser.ts'
import type { Driver } from '../drive/driver.ts'
import { inTurn } from '../drive/in-turn.ts'
import { type FlowParts, findProbes, type SeenRun } from './learned-flow.ts'
import { lookAt } from './read-run.ts'

/**
 * The paths that tell who is in, and that tell the same when each browser asks for them again: a page that shows news, or variants of
 * an experiment, may have told by chance.
 * @param strangers browsers that proved nothing
 */
export async function steadyPaths(
  parts: FlowParts,
  strangers: readonly Browser[],
  driver: Driver,
): Promise<readonly string[]> {
  const probes = findProbes(parts)
  const paths = probes.map(({ path }) => path)
  const lookAgain = (browsers: readonly Browser[]) => inTurn(browsers, (one) => lookAt(paths, one, driver))
  const ins = browsersOf(parts.ins)
  const shownIns = await lookAgain([...ins, ...ins])
  const shownOuts = await lookAgain([...parts.outs.flatMap(({ seen }) => browsersOf(seen)), ...strangers])
  const steady = probes.filter(({ path, likeness }) => {
    const isIn = (shown: (typeof shownIns)[number]) => {
      const page = shown.get(path)
      return page && likeness.compare(page).as === 'in'
    }
    return !shownIns.map(isIn).includes(false) && !shownOuts.map(isIn).includes(true)
  })
  return steady.map(({ path }) => path)
}

const browsersOf = (runs: readonly SeenRun[]): readonly Browser[] => runs.map(({ run }) => run.browser)
