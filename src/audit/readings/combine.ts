import type { ReadingsReport } from '../../sandbox/outcomes/report/readings-report.ts'
import type { Finding } from '../trials/trial.ts'
import { type ChosenVariant, nameOf } from './variants.ts'

type Try = (variants: readonly ChosenVariant[]) => Promise<Finding>

/** Further failures would say little more. */
const MAX_FAILING = 10

/**
 * Tries combinations, and shrinks each that fails. A set that is known to fail hides what else a combination shows: the combination is
 * tried again without each of its variants.
 */
export async function findFailingSets(
  combinations: readonly (readonly ChosenVariant[])[],
  { tryOne, onTried }: { tryOne: Try; onTried(): void },
): Promise<ReadingsReport['combinations']> {
  const failing: { readonly variants: readonly ChosenVariant[]; readonly finding: Finding }[] = []
  const undetermined = new Map<string, number>()
  const seen = new Set<string>()
  const left = [...combinations]
  let tried = 0
  let end: string | undefined
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
    const found = end === undefined ? await tryAndShrink(combination, tryOne) : undefined
    const { verdict } = found?.finding ?? {}
    if (!found || (verdict !== 'accepted' && verdict !== 'too strict')) {
      const reason = end ?? (found ? reasonOf(found.finding) : '')
      undetermined.set(reason, (undetermined.get(reason) ?? 0) + 1)
      if (found?.finding.reason === 'control_lost') end = reason
      continue
    }
    tried += 1
    onTried()
    if (verdict === 'accepted') continue
    failing.push(found)
    left.push(combination)
    if (failing.length === MAX_FAILING) end = `${MAX_FAILING} combinations fail, and further ones were not tried`
  }
  return {
    tried,
    undetermined: [...undetermined].map(([reason, count]) => ({ reason, count })),
    failed: failing.map(({ variants, finding: { evidence, flows } }) => ({
      variants: variants.map(nameOf),
      evidence,
      flows: [...flows],
    })),
  }
}

/** Why something is undetermined: `page_unknown: in use/verified as adult your app showed ...`. */
export const reasonOf = ({ reason, evidence }: Finding): string =>
  reason === undefined ? evidence : `${reason}: ${evidence}`

/** What a combination shows, and of one that fails the smallest part that does: halves are left out, then quarters, then single ones. */
async function tryAndShrink(combination: readonly ChosenVariant[], tryOne: Try) {
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
