import { evaluateAnswers } from '../../../service/age/evaluate.ts'
import { SERVER_CALLS, type ServerCall } from '../../../service/oidc/endpoints.ts'
import { findOutcome, OUTCOMES, rowId } from '../../outcomes/catalogue.ts'
import {
  bringsNothing,
  type Outcome,
  type OutcomeFlow,
  unmetNeedOf,
} from '../../outcomes/outcome.ts'
import type { Asked, CoverageCounters, EndingName } from '../counters.ts'
import type { CoverageItem } from '../coverage.ts'
import { byOutcome, byPersona, createItem, type Described, type GapClosing } from './item.ts'

type SeenFlows = ReturnType<typeof seenFlows>

/** What an app was seen to use. */
export function seenFlows({ claims, asked, endings, calls }: CoverageCounters) {
  const hasAsked = (what: Asked) => asked[what] !== undefined
  const hasCalled = (...called: readonly ServerCall[]) =>
    called.some((one) => calls[one] !== undefined)
  const hasEnded = (...ended: readonly EndingName[]) =>
    ended.some((one) => endings[one] !== undefined)
  const create =
    hasAsked('create') ||
    hasCalled('par') ||
    hasEnded('created', 'create_denied', 'request_uri_expired')
  const upgrade = hasAsked('upgrade') || hasCalled('token', 'upgrade')
  const used: Readonly<Record<OutcomeFlow, boolean>> = {
    use: hasAsked('use') || claims.length > 0,
    create,
    par: create,
    token: upgrade,
    upgrade,
    discovery: hasCalled('discovery'),
    jwks: hasCalled('jwks'),
  }
  return {
    /** Whether outcomes of the flow can reach the app. */
    uses: (flow: OutcomeFlow) => used[flow],
    asked: hasAsked,
    unused: REASONS.filter(({ flow }) => !used[flow]),
  }
}

const REASONS: readonly { readonly flow: OutcomeFlow; readonly reason: string }[] = [
  { flow: 'use', reason: 'no valid Use request came (E1)' },
  { flow: 'create', reason: 'no Create request was pushed (E2)' },
  { flow: 'upgrade', reason: 'no Use request asked for the upgrade scope' },
  { flow: 'discovery', reason: 'no discovery document was read (E6)' },
  { flow: 'jwks', reason: 'the key set was not read (E6)' },
]

interface EndingFacts {
  readonly name: EndingName
  readonly title: string
  readonly flow: 'use' | 'create'
  isPossible(flows: SeenFlows): boolean
  /** The outcome that leads to the ending; absent where a persona does. */
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

/** The ways in which a Use or Create flow of this app can end. */
export const endingItems = (described: Described, flows: SeenFlows): CoverageItem[] =>
  ENDINGS.filter(
    ({ name, isPossible }) => isPossible(flows) || described.counters.endings[name] !== undefined,
  ).map(({ name, title, flow, outcome }) =>
    createItem({
      id: name,
      title,
      flow,
      seen: { seen: described.counters.endings[name] },
      sides: {
        seen() {
          const row = outcome === undefined ? undefined : findOutcome(flow, outcome)
          return row ? byOutcome(row) : byAnswers(name === 'verified', described)
        },
      },
    }),
  )

/** A persona for whom some claims of the app have a met threshold, or none. */
function byAnswers(isMet: boolean, { counters, cast }: Described): GapClosing {
  const fitting = counters.claims.flatMap(({ claims }) =>
    cast.personas.filter(
      ({ signals }) =>
        Object.values(evaluateAnswers(signals, claims, cast.now)).some((met) => met) === isMet,
    ),
  )
  return byPersona(fitting[0]?.name, {
    because: isMet ? 'it meets a threshold' : 'it meets no threshold',
    otherwise: isMet ? 'that meets a threshold' : 'that meets no threshold',
  })
}

/** The rows of level must that this app can get, the most severe first. */
export const mustItems = (described: Described, flows: SeenFlows): CoverageItem[] => {
  const has = {
    can_create: flows.asked('can_create'),
    no_can_create: flows.asked('no_can_create'),
    upgrade_scope: flows.asked('upgrade'),
  }
  const baits = baitsOf(described)
  return OUTCOMES.filter(
    (row) =>
      row.level === 'must' &&
      flows.uses(row.flow) &&
      !bringsNothing(row) &&
      unmetNeedOf(row, has) === undefined,
  )
    .toSorted((one, other) => other.severity - one.severity)
    .map((row) =>
      createItem({
        id: rowId(row),
        title: row.summary,
        flow: row.flow,
        seen: { seen: described.counters.rows[rowId(row)] },
        sides: { seen: () => byOutcome(row, personaOf(row, baits)) },
      }),
    )
}

/**
 * Personas for whom a careless reader says yes: an adult reaches every threshold of the first
 * claims, a minor none.
 */
function baitsOf({ counters, cast }: Described) {
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

function personaOf(
  { flow, bait, ending }: Outcome,
  { adult, minor }: ReturnType<typeof baitsOf>,
): string | undefined {
  if (flow !== 'use' || ending?.kind === 'error' || ending?.kind === 'create_requested')
    return undefined
  return bait === 'minor' ? minor : adult
}

/** Calls by a server, with the outcome that refuses them; E6 has none. */
const CALLS: Readonly<Record<ServerCall, { readonly title: string; readonly refusal?: string }>> = {
  par: { title: 'E2: push a Create request', refusal: 'par.400' },
  token: { title: 'E4: exchange a code', refusal: 'token.code_expired' },
  upgrade: { title: 'E5: upgrade the age key', refusal: 'upgrade.token_expired' },
  discovery: { title: 'E6: read discovery' },
  jwks: { title: 'E6: read the key set' },
}

/** Each endpoint that the app's server calls: success, refusal, failure and timeout. */
export const callItems = ({ counters }: Described, flows: SeenFlows): CoverageItem[] =>
  SERVER_CALLS.filter((called) => flows.uses(called)).map((called) => {
    const { title, refusal } = CALLS[called]
    const force = (name: string) => () => {
      const row = findOutcome(called, name)
      if (!row) throw new Error(`the catalogue has no outcome ${name}`)
      return byOutcome(row)
    }
    const success = () => ({ closes: `let the service answer ${title}, without an outcome` })
    return createItem({
      id: called,
      title,
      flow: called,
      seen: counters.calls[called],
      sides: {
        success,
        ...(refusal === undefined ? {} : { refusal: force(refusal) }),
        failure: force(`${called}.500`),
        timeout: force(`${called}.slow`),
      },
    })
  })
