import type { ReadingsReport } from '../../sandbox/outcomes/report/readings-report.ts'
import type { Finding } from '../trials/trial.ts'
import { type ChosenVariant, nameOf } from './variants.ts'

type Combination = readonly ChosenVariant[]
type Try = (variants: Combination) => Promise<Finding>

/** Further failures would say little more. */
const MAX_FAILING = 10
const ENOUGH = `${MAX_FAILING} combinations fail, and further ones were not tried`

/**
 * Tries combinations, and shrinks each that fails. A set that is known to fail hides what else a combination shows: the combination is
 * tried again without each of its variants.
 */
export async function findFailingSets(
  combinations: readonly Combination[],
  { tryOne, onTried }: { tryOne: Try; onTried(): void },
): Promise<ReadingsReport['combinations']> {
  const failed: ReadingsReport['combinations']['failed'][number][] = []
  const undetermined = new Map<string, number>()
  const seen = new Set<string>()
  const left = [...combinations]
  let tried = 0
  /** Why no other combination is tried. */
  let end: Finding | undefined
  // What is appended to the list meanwhile is tried, too.
  for (const combination of left) {
    const names = combination.map(nameOf)
    const known = failed.find((one) => one.variants.every((name) => names.includes(name)))
    if (known) left.push(...known.variants.map((name) => combination.filter((one) => nameOf(one) !== name)))
    const key = names.join(' ')
    if (known || combination.length < 2 || seen.has(key)) continue
    seen.add(key)
    const { variants, finding } = end ? { variants: [], finding: end } : await tryAndShrink(combination, tryOne)
    const { verdict, reason, evidence, flows } = finding
    if (verdict === 'accepted' || verdict === 'too strict') {
      tried += 1
      onTried()
    } else undetermined.set(reasonOf(finding), (undetermined.get(reasonOf(finding)) ?? 0) + 1)
    if (reason === 'control_lost') end = finding
    if (verdict !== 'too strict') continue
    failed.push({ variants: variants.map(nameOf), evidence, flows })
    left.push(combination)
    if (failed.length === MAX_FAILING) end = { verdict: 'undetermined', evidence: ENOUGH, flows: [] }
  }
  return { tried, undetermined: [...undetermined].map(([reason, count]) => ({ reason, count })), failed }
}

/** Why something is undetermined: `page_unknown: in use/verified as adult your app showed ...`. */
export const reasonOf = ({ reason, evidence }: Finding): string => [reason, evidence].filter((text) => text).join(': ')

/** What a combination shows, and of one that fails the smallest part that does: halves are left out, then quarters, then single ones. */
async function tryAndShrink(combination: Combination, tryOne: Try) {
  let variants = combination
  let finding = await tryOne(variants)
  if (finding.verdict !== 'too strict') return { variants, finding }
  for (let size = Math.ceil(variants.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    let at = 0
    while (at < variants.length && variants.length - size >= 2) {
      const part = variants.toSpliced(at, size)
      const found = await tryOne(part)
      if (found.verdict === 'too strict') [variants, finding] = [part, found]
      else at += size
    }
  }
  return { variants, finding }
}
