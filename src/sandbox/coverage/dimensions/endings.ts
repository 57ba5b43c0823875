import { evaluateAnswers } from '../../../age/evaluate.ts'
import { findOutcome } from '../../outcomes/catalogue.ts'
import type { EndingName } from '../counters.ts'
import type { CoverageItem } from '../coverage.ts'
import { byOutcome, byPersona, createSingleItem, type Described, type GapClosing } from './item.ts'
import type { SeenFlows } from './seen-flows.ts'

interface EndingFacts {
  readonly name: EndingName
  readonly title: string
  readonly flow: 'use' | 'create'
  isPossible(flows: SeenFlows): boolean
  /** The outcome that gives it; absent where a persona does. */
  readonly outcome?: string
}

const inUse = (flows: SeenFlows) => flows.uses('use')
const inCreate = (flows: SeenFlows) => flows.uses('create')

// biome-ignore format: a table
const ENDINGS: readonly EndingFacts[] = [
  { name: 'verified', flow: 'use', title: 'An id_token in which a threshold is met', isPossible: inUse },
  { name: 'none_met', flow: 'use', title: 'An id_token in which no threshold is met', isPossible: inUse },
  { name: 'code_issued', flow: 'use', title: 'A code beside the id_token', isPossible: (flows) => flows.asked('upgrade'), outcome: 'code_issued' },
  { name: 'create_requested', flow: 'use', title: 'The user chooses to create an age key', isPossible: (flows) => flows.asked('can_create'), outcome: 'create_requested' },
  { name: 'access_denied', flow: 'use', title: 'The user goes back: access_denied', isPossible: inUse, outcome: 'access_denied' },
  { name: 'other_error', flow: 'use', title: 'Another error than access_denied', isPossible: inUse, outcome: 'server_error' },
  { name: 'created', flow: 'create', title: 'An age key is created', isPossible: inCreate, outcome: 'created' },
  { name: 'create_denied', flow: 'create', title: 'The user declines to create one: access_denied', isPossible: inCreate, outcome: 'access_denied' },
  { name: 'request_uri_expired', flow: 'create', title: 'The request_uri has expired', isPossible: inCreate, outcome: 'request_uri.expired' },
]

/** How a Use or Create flow of this app can end. */
export const endingItems = (described: Described, flows: SeenFlows): CoverageItem[] =>
  ENDINGS.filter(({ name, isPossible }) => isPossible(flows) || described.counters.endings[name] !== undefined).map(
    ({ name, title, flow, outcome }) =>
      createSingleItem({
        id: name,
        title,
        flow,
        hits: described.counters.endings[name],
        close: () => {
          const row = outcome === undefined ? undefined : findOutcome(flow, outcome)
          return row ? byOutcome(row) : byAnswers(name === 'verified', described)
        },
      }),
  )

/** A persona that some claims of the app answer with a met threshold, or with none. */
function byAnswers(isMet: boolean, { counters, cast }: Described): GapClosing {
  const fitting = counters.claims.flatMap(({ claims }) =>
    cast.personas.filter(
      ({ signals }) => Object.values(evaluateAnswers(signals, claims, cast.now)).some((met) => met) === isMet,
    ),
  )
  return byPersona(fitting[0]?.name, {
    because: isMet ? 'it meets a threshold' : 'it meets no threshold',
    otherwise: isMet ? 'that meets a threshold' : 'that meets no threshold',
  })
}
