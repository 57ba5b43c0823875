import type { Claims } from '../../../service/age/claims.ts'
import { evaluateAnswers } from '../../../service/age/evaluate.ts'
import { mapInTurns } from '../../take-turn.ts'
import type { CoverageItem } from '../coverage.ts'
import {
  byPersona,
  type ClosingPersonas,
  type Described,
  type GapClosing,
  sideOf,
} from './gap-closing.ts'

/** Maximum number of thresholds in all claims. An item has up to 500 bytes. */
const MAX_THRESHOLDS = 1_000

/**
 * Both answers (true and false) to each threshold of each distinct claims object.
 * @returns the items, and whether claims were omitted because there are too many thresholds
 */
export async function answerItems({
  seen,
  names,
  personas,
}: Described): Promise<{ items: CoverageItem[]; omitted: boolean }> {
  const items: CoverageItem[] = []
  for (const [id, claims] of Object.entries(seen.claims)) {
    const thresholds = [...new Set(claims.age_thresholds)]
    if (items.length + thresholds.length > MAX_THRESHOLDS) return { items, omitted: true }
    const answering = await personasByAnswer(claims, personas)
    for (const threshold of thresholds) {
      const isTrueSeen = names.has(`answer ${id}/${threshold} true`)
      const isFalseSeen = names.has(`answer ${id}/${threshold} false`)
      items.push({
        id: `${id}/${threshold}`,
        title: `age_thresholds ${threshold}`,
        state: stateOf(isTrueSeen, isFalseSeen),
        flow: 'use',
        claims: id,
        sides: {
          true: sideOf(isTrueSeen, () => closingOf(threshold, true, answering)),
          false: sideOf(isFalseSeen, () => closingOf(threshold, false, answering)),
        },
      })
    }
  }
  return { items, omitted: false }
}

function stateOf(isTrueSeen: boolean, isFalseSeen: boolean): CoverageItem['state'] {
  if (isTrueSeen && isFalseSeen) return 'covered'
  return isTrueSeen || isFalseSeen ? 'half' : 'missing'
}

const answerOf = (threshold: number | string, answer: boolean) => `${threshold} ${answer}`

/**
 * The first persona for each answer. Storing the answers of all personas would take too much
 * memory.
 */
async function personasByAnswer(
  claims: Claims,
  { list, now }: ClosingPersonas,
): Promise<ReadonlyMap<string, string>> {
  const first = new Map<string, string>()
  await mapInTurns(list, ({ name, signals }) => {
    for (const [threshold, met] of Object.entries(evaluateAnswers(signals, claims, now))) {
      const answer = answerOf(threshold, met)
      if (!first.has(answer)) first.set(answer, name)
    }
  })
  return first
}

function closingOf(
  threshold: number,
  answer: boolean,
  answering: ReadonlyMap<string, string>,
): GapClosing {
  return byPersona(answering.get(answerOf(threshold, answer)), {
    because: `it answers ${threshold}: ${answer} to these claims`,
    otherwise: answer
      ? `whose age signal passes the filters of these claims and says date_of_birth: today - ${threshold}y`
      : `whose age signal says date_of_birth: today - ${threshold}y + 1d`,
  })
}
