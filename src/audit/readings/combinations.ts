import type { ReadingsReport } from '../report/audit-report.ts'
import type { TrialFinding } from '../trials/trial.ts'
import { type ChosenVariant, chosenVariantName, mayMeet } from './chosen-variants.ts'

type Combination = readonly ChosenVariant[]
type Try = (set: Combination) => Promise<TrialFinding>

/** Number of failing combinations after which the search stops. */
const MAX_FAILING = 10
const ENOUGH = `${MAX_FAILING} combinations fail, and further ones were not tried`

/**
 * Tries combinations until each pair of variants has been part of one. A failing combination is
 * reduced to its smallest failing part, and no later combination contains this part.
 */
export async function tryCombinations(
  variants: readonly ChosenVariant[],
  tryOne: Try,
  onTried: (done: number, total: number) => void,
): Promise<ReadingsReport['combinations']> {
  const failing: Combination[] = []
  const failed: ReadingsReport['combinations']['failed'][number][] = []
  const undetermined = new Map<string, number>()
  const isKnown = (set: Combination) =>
    failing.some((part) => part.every((one) => set.includes(one)))
  const mayJoin = (set: Combination, one: ChosenVariant) =>
    set.every((other) => mayMeet(one, other)) && !isKnown([...set, one])
  let missing = variants.flatMap((one, index) =>
    variants.slice(index + 1).map((other) => [one, other] as const),
  )
  let tried = 0
  /** Why no other combination is tried. */
  let end: TrialFinding | undefined
  for (;;) {
    const left = coverPairs(missing, variants, mayJoin)
    const [set] = left
    if (!set)
      return {
        tried,
        undetermined: [...undetermined].map(([reason, count]) => ({ reason, count })),
        failed,
      }
    const { part, finding } = end ? { part: set, finding: end } : await tryAndShrink(set, tryOne)
    const { verdict, reason, evidence, flows } = finding
    if (verdict === 'too strict') {
      failing.push(part)
      failed.push({ variants: part.map(chosenVariantName), evidence, flows })
    } else missing = missing.filter((pair) => !pair.every((one) => set.includes(one)))
    if (verdict === 'accepted' || verdict === 'too strict')
      onTried(++tried, tried + left.length - 1)
    else
      undetermined.set(findingReason(finding), (undetermined.get(findingReason(finding)) ?? 0) + 1)
    if (reason === 'control_lost') end = finding
    if (failed.length === MAX_FAILING)
      end = { verdict: 'undetermined', evidence: ENOUGH, flows: [] }
  }
}

/**
 * Finds a small number of combinations that together contain every compatible pair of variants. A
 * greedy search: each combination grows by the variant that adds most missing pairs.
 */
export function coverPairs(
  pairs: readonly (readonly [ChosenVariant, ChosenVariant])[],
  variants: readonly ChosenVariant[],
  mayJoin: (set: Combination, one: ChosenVariant) => boolean,
): readonly Combination[] {
  const found: Combination[] = []
  let missing = pairs.filter(([one, other]) => mayJoin([one], other))
  while (missing.length > 0) {
    let set: Combination = missing[0] ?? []
    const gainOf = (one: ChosenVariant) =>
      missing.filter((pair) => pair.includes(one) && pair.some((other) => set.includes(other)))
        .length
    for (;;) {
      const joining = variants
        .filter((one) => mayJoin(set, one))
        .map((one) => ({ one, gain: gainOf(one) }))
      const [best] = joining.sort((a, b) => b.gain - a.gain)
      if (!best) break
      set = [...set, best.one]
    }
    found.push(set)
    missing = missing.filter((pair) => !pair.every((one) => set.includes(one)))
  }
  return found
}

/**
 * Tries a combination. If the combination fails, removes halves, then quarters, then single
 * variants, as long as the rest still fails.
 * @returns the combination or its smallest failing part, and the finding
 */
async function tryAndShrink(set: Combination, tryOne: Try) {
  let part = set
  let finding = await tryOne(part)
  if (finding.verdict !== 'too strict') return { part, finding }
  for (
    let size = Math.ceil(part.length / 2);
    size > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    let at = 0
    while (at < part.length && part.length - size >= 2) {
      const smaller = part.toSpliced(at, size)
      const found = await tryOne(smaller)
      if (found.verdict === 'too strict') [part, finding] = [smaller, found]
      else at += size
    }
  }
  return { part, finding }
}

/** Why a finding is undetermined: `page_unknown: in use/verified as adult your app showed ...`. */
export const findingReason = ({ reason, evidence }: TrialFinding): string =>
  [reason, evidence].filter((text) => text).join(': ')
