import { evaluateAnswers } from '../../../service/age/evaluate.ts'
import { findOutcome } from '../../outcomes/catalogue.ts'
import type { CoverageItem } from '../coverage.ts'
import type { EndingName } from '../seen-names.ts'
import {
  byOutcome,
  byPersona,
  type Described,
  type GapClosing,
  itemSeenOnce,
} from './gap-closing.ts'
import type { UsedFlows } from './used-flows.ts'

interface Ending {
  readonly name: EndingName
  readonly title: string
  readonly flow: 'use' | 'create'
  /** What a request must have asked for; by default the flow itself. */
  readonly asked?: 'upgrade' | 'can_create'
  /** The outcome that leads to the ending; absent if a persona does. */
  readonly outcome?: string
}

// biome-ignore format: a table
const ENDINGS: readonly Ending[] = [
  { name: 'verified', flow: 'use', title: 'An id_token in which a threshold is met' },
  { name: 'none_met', flow: 'use', title: 'An id_token in which no threshold is met' },
  { name: 'code_issued', flow: 'use', title: 'A code beside the id_token', asked: 'upgrade', outcome: 'code_issued' },
  { name: 'create_requested', flow: 'use', title: 'The user chooses to create an age key', asked: 'can_create', outcome: 'create_requested' },
  { name: 'access_denied', flow: 'use', title: 'The user goes back: access_denied', outcome: 'access_denied' },
  { name: 'other_error', flow: 'use', title: 'Another error than access_denied', outcome: 'server_error' },
  { name: 'created', flow: 'create', title: 'An age key is created', outcome: 'created' },
  { name: 'create_denied', flow: 'create', title: 'The user declines to create one: access_denied', outcome: 'access_denied' },
  { name: 'request_uri_expired', flow: 'create', title: 'The request_uri has expired', outcome: 'request_uri.expired' },
]

/** The possible endings of the Use and Create flows of this app. */
export const endingItems = (described: Described, flows: UsedFlows): CoverageItem[] => {
  const isSeen = (name: EndingName) => described.names.has(`ending ${name}`)
  const isPossible = ({ flow, asked }: Ending) => (asked ? flows.asked(asked) : flows.uses(flow))
  return ENDINGS.filter((ending) => isPossible(ending) || isSeen(ending.name)).map(
    ({ name, title, flow, outcome }) =>
      itemSeenOnce({ id: name, title, flow }, isSeen(name), () => {
        const row = outcome === undefined ? undefined : findOutcome(flow, outcome)
        return row ? byOutcome(row) : byAnswers(name === 'verified', described)
      }),
  )
}

/** How to close the gap of an ending that depends on the answers for a persona. */
function byAnswers(isMet: boolean, described: Described): GapClosing {
  const meets = isMet ? 'meets a threshold' : 'meets no threshold'
  return byPersona(personaWhoMeets(isMet, described), {
    because: `it ${meets}`,
    otherwise: `that ${meets}`,
  })
}

/** The first persona that meets a threshold, or none, of some claims of the app. */
function personaWhoMeets(isMet: boolean, { seen, personas }: Described): string | undefined {
  for (const claims of Object.values(seen.claims)) {
    const found = personas.list.find(
      ({ signals }) =>
        Object.values(evaluateAnswers(signals, claims, personas.now)).includes(true) === isMet,
    )
    if (found) return found.name
  }
  return undefined
}
