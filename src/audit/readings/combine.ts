import type { UndeterminedSets } from '../../sandbox/outcomes/report/readings-report.ts'
import type { Readings } from '../../sandbox/readings/reading.ts'
import { type Combination, coverPairs } from './cover-pairs.ts'
import type { TriedFlow } from './tried-flow.ts'
import type { TriedReadings } from './try-readings.ts'
import { isExcluded, nameOf, type UnusualVariant } from './variants.ts'
import type { Worker } from './workers.ts'

/** Combinations of variants that together hold every pair of them, beside the usual ones, as far as they may stand together. */
export function combinationsOf(variants: readonly UnusualVariant[]): readonly (readonly UnusualVariant[])[] {
  const readings = [...new Set(variants.map(({ reading }) => reading))]
  const byName = new Map(variants.map((one) => [nameOf(one), one]))
  const covered = coverPairs({
    factors: readings.map((reading) => {
      const own = variants.filter((one) => one.reading === reading)
      return {
        name: reading.name,
        values: [...own.map(({ variant }) => variant.name), ...own.slice(0, 1).map((one) => one.usual)],
      }
    }),
    isAllowed: (one, other) => !isExcluded([one.factor, one.value], [other.factor, other.value]),
  })
  const unusualOf = (combination: Combination) =>
    Object.entries(combination).flatMap(([name, value]) => byName.get(`${name}=${value}`) ?? [])
  // One variant alone was tried before.
  return covered.map(unusualOf).filter((one) => one.length > 1)
}

export const readingsOf = (variants: readonly UnusualVariant[]): Readings =>
  Object.fromEntries(variants.map(({ reading, variant }) => [reading.name, variant.name]))

/** A set that fails, and by what. */
export interface FailingSet {
  readonly variants: readonly UnusualVariant[]
  readonly tried: Extract<TriedReadings, { kind: 'fails' }>
}

interface Tools {
  /** Those that can try a set. */
  workersOf(variants: readonly UnusualVariant[]): readonly Worker[]
  /** @param flows all that may show the set when absent */
  try(variants: readonly UnusualVariant[], worker: Worker, flows?: readonly TriedFlow[]): Promise<TriedReadings>
  onTried(): void
  readonly signal: AbortSignal
}

interface Undetermined {
  readonly reason: string
}

const isUndetermined = (found: FailingSet | 'works' | Undetermined): found is Undetermined =>
  typeof found === 'object' && 'reason' in found

/** Why nothing is known of what was not tried. */
export const TIMED_OUT = 'timed_out: the audit ended before; raise --budget'
export const LOST = 'control_lost: before it, your app got lost'

/** Further failures would say little more. */
const MAX_FAILING = 10

/**
 * Tries combinations, and shrinks each that fails. A set that is known to fail hides what else a combination shows: the combination is
 * tried again without each of its variants.
 */
export async function findFailingSets(
  combinations: readonly (readonly UnusualVariant[])[],
  tools: Tools,
): Promise<{ failing: readonly FailingSet[]; tried: number; undetermined: readonly UndeterminedSets[] }> {
  const failing: FailingSet[] = []
  const seen = new Set<string>()
  const left = [...combinations]
  let tried = 0
  const undetermined = new Map<string, number>()
  for (let next = left.shift(); next; next = left.shift()) {
    const combination = next
    const known = failing.find(({ variants }) => variants.every((one) => combination.includes(one)))
    if (known) {
      left.push(...known.variants.map((one) => combination.filter((other) => other !== one)))
      continue
    }
    const key = combination.map(nameOf).join(' ')
    if (combination.length < 2 || seen.has(key)) continue
    seen.add(key)
    const worker = tools.workersOf(combination).find(({ isLost }) => !isLost)
    const found =
      failing.length >= MAX_FAILING
        ? { reason: `${MAX_FAILING} combinations fail, and further ones were not tried` }
        : await tryOne(combination, worker, tools)
    const reason = tools.signal.aborted ? TIMED_OUT : isUndetermined(found) ? found.reason : undefined
    if (reason !== undefined) undetermined.set(reason, (undetermined.get(reason) ?? 0) + 1)
    if (reason !== undefined || isUndetermined(found)) continue
    tried += 1
    tools.onTried()
    if (found === 'works') continue
    failing.push(found)
    left.push(combination)
  }
  return { failing, tried, undetermined: [...undetermined].map(([reason, count]) => ({ reason, count })) }
}

/** The smallest part of a combination that fails, or why that is not known. */
async function tryOne(
  combination: readonly UnusualVariant[],
  worker: Worker | undefined,
  tools: Tools,
): Promise<FailingSet | 'works' | Undetermined> {
  if (!worker || tools.signal.aborted) return { reason: LOST }
  const found = await tools.try(combination, worker)
  if (found.kind === 'works') return 'works'
  if (found.kind === 'undetermined') return found
  const flows = found.flow && [found.flow]
  let variants = combination
  for (const one of combination) {
    if (variants.length === 2) break
    const part = variants.filter((other) => other !== one)
    if ((await tools.try(part, worker, flows)).kind === 'fails') variants = part
  }
  const tried = await tools.try(variants, worker, flows)
  if (tried.kind === 'undetermined') return tried
  return tried.kind === 'fails' ? { variants, tried } : { reason: 'flaky: a smaller set failed, and then it did not' }
}
