import type { AgeSignal } from '../../../service/age/signal.ts'
import type { Outcome, OutcomeFlow } from '../../outcomes/outcome.ts'
import { resolvePersona } from '../../personas/age-keys.ts'
import { inPersonaOrder, type Persona } from '../../personas/persona-schema.ts'
import { mapInTurns } from '../../take-turn.ts'
import type { CoverageCounters, Hits } from '../counters.ts'
import type { CoverageItem, CoverageSide } from '../coverage.ts'

/** The personas with an age key, which can close gaps; the usual one first. */
export interface Cast {
  readonly personas: readonly { readonly name: string; readonly signals: readonly AgeSignal[] }[]
  /** Milliseconds since the UNIX epoch, by the clock of the sandbox. */
  readonly now: number
}

/** The input of a description: the counters, and what closes gaps. */
export interface Described {
  readonly counters: CoverageCounters
  readonly cast: Cast
}

/** @param clock base of relative dates and present instant, both in epoch milliseconds */
export async function castOf(
  personas: readonly Persona[],
  { base, now }: { base: number; now: number },
): Promise<Cast> {
  const resolved = await mapInTurns(inPersonaOrder(personas), (persona) =>
    resolvePersona(persona, base),
  )
  return {
    now,
    personas: resolved.flatMap(({ name, age_key: ageKey }) =>
      ageKey ? [{ name, ...ageKey }] : [],
    ),
  }
}

/** What closes a gap: a sentence, and names. */
export type GapClosing = Required<Pick<CoverageSide, 'closes'>> &
  Pick<CoverageSide, 'persona' | 'outcome'>

interface Draft {
  readonly id: string
  readonly title: string
  readonly flow: OutcomeFlow
  readonly claims?: string
  readonly seen: Readonly<Record<string, Hits | undefined>> | undefined
  /** Describes what closes the gap of each side; called only for gaps. */
  readonly sides: Readonly<Record<string, () => GapClosing>>
}

/** An item: each of its sides was seen, or says what closes the gap. */
export function createItem({ seen = {}, sides: closings, ...head }: Draft): CoverageItem {
  const sides = Object.fromEntries(
    Object.entries(closings).map(([side, close]): [string, CoverageSide] => {
      const hits = seen[side]
      return [side, hits && hits.count > 0 ? { ...hits } : { count: 0, ...close() }]
    }),
  )
  const covered = Object.values(sides).filter(({ count }) => count > 0).length
  const state =
    covered === 0 ? 'missing' : covered === Object.keys(sides).length ? 'covered' : 'half'
  return { ...head, state, sides }
}

const PLACES: Readonly<Record<OutcomeFlow, string>> = {
  use: 'a Use flow (E1)',
  create: 'a Create flow (E3)',
  par: 'a push of a Create request (E2)',
  token: 'an exchange of a code (E4)',
  upgrade: 'an upgrade (E5)',
  discovery: 'a read of the discovery document (E6)',
  jwks: 'a read of the key set (E6)',
}

/** Forcing an outcome closes the gap. A persona is named if the flow has one. */
export function byOutcome({ flow, name, prelude }: Outcome, persona?: string): GapClosing {
  const as = persona === undefined ? '' : ` as ${persona}`
  const after = prelude ? ', after a good flow of the same client with another state and nonce' : ''
  return {
    closes: `force the outcome ${name} in ${PLACES[flow]}${as}${after}`,
    outcome: name,
    ...(persona === undefined ? {} : { persona }),
  }
}

/** Acting as a persona closes the gap; without one, a persona that the user adds. */
export const byPersona = (
  name: string | undefined,
  { because, otherwise }: { because: string; otherwise: string },
): GapClosing =>
  name === undefined
    ? {
        closes: `add a persona ${otherwise}, and run a Use flow as it: no persona of this sandbox fits`,
      }
    : { closes: `run a Use flow as ${name}: ${because}`, persona: name }
