import { hash } from 'node:crypto'
import type { Provider } from '../../oidc/provider.ts'
import { findPushedRequest } from '../../oidc/pushed-request.ts'
import type { Pairs } from '../../oidc/request/parameters.ts'
import { type ActiveReadings, activate } from './active-readings.ts'
import { problemsOf } from './parse-readings.ts'
import { type Reading, type Readings, readingId } from './reading.ts'
import { READINGS } from './readings.ts'

/** The flows that share a state: Create with its pushed request, Use with its token and upgrade calls. */
export type StatefulFlow = 'use' | 'create'

/** What a tenant has set. */
export interface ReadingSettings {
  readonly readings: Readings
  /** The seed that picks one more variant for each flow. */
  readonly grease?: string | undefined
}

/** The readings of a tenant. */
export interface TenantReadings {
  /** Those that hold for every call. */
  readonly fixed: ActiveReadings
  /** Those of one flow. Without a seed, or a state that ties its calls together, they are the fixed ones. */
  ofFlow(flow: StatefulFlow, state: string | undefined): ActiveReadings
}

/** Creates the readings of a tenant. What it makes active is kept: there are no more ways than variants. */
export function createTenantReadings({ readings, grease }: ReadingSettings): TenantReadings {
  const fixed = activate(readings)
  if (grease === undefined) return { fixed, ofFlow: () => fixed }
  const candidates = { use: greasable('use', readings), create: greasable('create', readings) }
  const active = new Map<string, ActiveReadings>()
  return {
    fixed,
    ofFlow(flow, state) {
      const picked = state === undefined ? undefined : pick(candidates[flow], `${grease} ${flow} ${state}`)
      if (!picked) return fixed
      const id = readingId(...picked)
      const [reading, variant] = picked
      const made = active.get(id) ?? activate({ ...readings, [reading]: variant })
      active.set(id, made)
      return made
    },
  }
}

type Pick = readonly [reading: string, variant: string]

/** The same text picks the same variant; another seed, or another state, mostly another one. */
const pick = (candidates: readonly Pick[], text: string): Pick | undefined =>
  candidates[Number.parseInt(hash('sha256', text).slice(0, 12), 16) % candidates.length]

/** The variants that a flow can have beside what is fixed: those that a run of it shows, and that nothing fixed excludes. */
const greasable = (flow: StatefulFlow, fixed: Readings): readonly Pick[] =>
  READINGS.filter((reading) => isOfFlow(reading, flow) && fixed[reading.name] === undefined).flatMap((reading) =>
    reading.variants
      .filter(({ name }) => name !== reading.default)
      .map(({ name }) => [reading.name, name] as const)
      .filter(([name, variant]) => problemsOf({ ...fixed, [name]: variant }).length === 0),
  )

/**
 * Decision: what belongs to no flow is left alone by a seed: discovery and the key set, which are cached beyond a flow, and the
 * brand word, which stands in what a client sends.
 */
const OF_NO_FLOW: readonly string[] = ['discovery', 'key_set', 'key_members', 'brand_word']

const isOfFlow = ({ name, shownBy }: Reading, flow: StatefulFlow) =>
  !OF_NO_FLOW.includes(name) && shownBy.some((id) => FLOW_OF_CALL[id.slice(0, id.indexOf('/'))] === flow)

const FLOW_OF_CALL: Readonly<Record<string, StatefulFlow>> = {
  use: 'use',
  token: 'use',
  upgrade: 'use',
  create: 'create',
  par: 'create',
}

/** What ties the calls of a flow together, from the query of its authorization request: of a Create request the pushed state. */
export async function stateOfRequest(
  flow: StatefulFlow,
  query: Pairs,
  provider: Provider,
): Promise<string | undefined> {
  const sent = (name: string) => query.find(([one]) => one === name)?.[1]
  if (flow === 'use') return sent('state')
  return (await findPushedRequest(sent('request_uri') ?? '', provider))?.record.state
}
