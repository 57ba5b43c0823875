import { evaluateAnswers } from '../../../service/age/evaluate.ts'
import { OUTCOMES, rowId } from '../../outcomes/catalogue.ts'
import { bringsNothing, type Outcome, unmetNeedOf } from '../../outcomes/outcome.ts'
import type { CoverageItem } from '../coverage.ts'
import { byOutcome, type Described, itemSeenOnce } from './gap-closing.ts'
import type { UsedFlows } from './used-flows.ts'

/** The rows of level `must` that this app can receive, the most severe first. */
export function mustItems(described: Described, flows: UsedFlows): CoverageItem[] {
  const has = {
    can_create: flows.asked('can_create'),
    no_can_create: flows.asked('no_can_create'),
    upgrade_scope: flows.asked('upgrade'),
  }
  const canReach = (row: Outcome) =>
    flows.uses(row.flow) && !bringsNothing(row) && unmetNeedOf(row, has) === undefined
  const misread = misreadPersonas(described)
  return OUTCOMES.filter((row) => row.level === 'must' && canReach(row))
    .toSorted((one, other) => other.severity - one.severity)
    .map((row) => {
      const { flow, name, summary } = row
      const isSeen = described.names.has(`row ${flow}/${name}`)
      return itemSeenOnce({ id: rowId(row), title: summary, flow }, isSeen, () =>
        byOutcome(row, personaOf(row, misread)),
      )
    })
}

/** Personas whose changed answer a client without the check accepts. */
interface MisreadPersonas {
  /** The first persona that meets every threshold of the first claims. */
  readonly adult: string | undefined
  /** The first persona that meets no threshold of the first claims. */
  readonly minor: string | undefined
}

function misreadPersonas({ seen, personas }: Described): MisreadPersonas {
  const [claims = { age_thresholds: [18] }] = Object.values(seen.claims)
  const answers = personas.list.map(({ name, signals }) => ({
    name,
    met: Object.values(evaluateAnswers(signals, claims, personas.now)),
  }))
  return {
    adult: answers.find(({ met }) => !met.includes(false))?.name,
    minor: answers.find(({ met }) => !met.includes(true))?.name,
  }
}

function personaOf(
  { flow, bait, ending }: Outcome,
  { adult, minor }: MisreadPersonas,
): string | undefined {
  if (flow !== 'use' || ending?.kind === 'error' || ending?.kind === 'create_requested')
    return undefined
  return bait === 'minor' ? minor : adult
}
