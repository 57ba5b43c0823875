import { evaluateAnswers } from '../../../age/evaluate.ts'
import { OUTCOMES, rowId } from '../../outcomes/catalogue.ts'
import { bringsNothing, type Outcome, unmetNeedOf } from '../../outcomes/outcome.ts'
import type { CoverageItem } from '../coverage.ts'
import { byOutcome, createSingleItem, type Described } from './item.ts'
import type { SeenFlows } from './seen-flows.ts'

/** Each row of level must that this app can get, the most severe first. */
export const mustItems = (described: Described, flows: SeenFlows): CoverageItem[] => {
  const has = {
    can_create: flows.asked('can_create'),
    no_can_create: flows.asked('no_can_create'),
    upgrade_scope: flows.asked('upgrade'),
  }
  const baits = baitsOf(described)
  return OUTCOMES.filter(
    (row) => row.level === 'must' && flows.uses(row.flow) && !bringsNothing(row) && unmetNeedOf(row, has) === undefined,
  )
    .toSorted((one, other) => other.severity - one.severity)
    .map((row) =>
      createSingleItem({
        id: rowId(row),
        title: row.summary,
        flow: row.flow,
        hits: described.counters.rows[rowId(row)],
        close: () => byOutcome(row, personaOf(row, baits)),
      }),
    )
}

/** Personas for whom careless reading is a yes. */
interface Baits {
  readonly adult: string | undefined
  readonly minor: string | undefined
}

/** An adult reaches every threshold of the first claims, a minor none. */
export function baitsOf({ counters, cast }: Described): Baits {
  const [first] = counters.claims
  const claims = first?.claims ?? { age_thresholds: [18] }
  const answers = cast.personas.map(({ name, signals }) => ({
    name,
    by: Object.values(evaluateAnswers(signals, claims, cast.now)),
  }))
  return {
    adult: answers.find(({ by }) => by.every((met) => met))?.name,
    minor: answers.find(({ by }) => by.every((met) => !met))?.name,
  }
}

function personaOf({ flow, bait, ending }: Outcome, { adult, minor }: Baits): string | undefined {
  if (flow !== 'use' || ending?.kind === 'error' || ending?.kind === 'create_requested') return undefined
  return bait === 'minor' ? minor : adult
}
