import type { AgeSignal } from '../../../service/age/signal.ts'
import type { CallName } from '../../../service/oidc/endpoints.ts'
import type { Outcome } from '../../outcomes/outcome.ts'
import { resolvePersona } from '../../personas/age-keys.ts'
import { inPersonaOrder, type Persona } from '../../personas/persona-schema.ts'
import { mapInTurns } from '../../take-turn.ts'
import type { CoverageItem, CoverageSide, SeenByClients } from '../coverage.ts'
import type { NameOfSeen } from '../seen-names.ts'

/** The personas with an age key, which can close gaps. */
export interface ClosingPersonas {
  /** The fallback persona of Use comes first under its heading. */
  readonly list: readonly { readonly name: string; readonly signals: readonly AgeSignal[] }[]
  /** Milliseconds since the UNIX epoch, by the sandbox clock. */
  readonly now: number
}

/** What clients have seen. `has` accepts only names that exist. */
export interface SeenSet extends Iterable<string> {
  has(name: NameOfSeen): boolean
}

/** The input of the dimensions: what clients have seen, and the personas that close gaps. */
export interface Described {
  readonly seen: SeenByClients
  readonly names: SeenSet
  readonly personas: ClosingPersonas
}

/**
 * Selects and resolves the personas that can close gaps.
 * @param clock the base of relative dates and the current time, in milliseconds since the UNIX
 * epoch
 */
export async function closingPersonas(
  personas: readonly Persona[],
  { base, now }: { base: number; now: number },
): Promise<ClosingPersonas> {
  const resolved = await mapInTurns(inPersonaOrder(personas), (persona) =>
    resolvePersona(persona, base),
  )
  const list = resolved.flatMap(({ name, age_key: ageKey }) =>
    ageKey ? [{ name, signals: ageKey.signals }] : [],
  )
  return { list, now }
}

/** How to close a gap: a sentence, and the names in the sentence. */
export interface GapClosing {
  readonly closes: string
  readonly persona?: string
  readonly outcome?: string
}

/**
 * An item with a single side.
 * @param close describes how to close the gap; called only for a gap
 */
export const itemSeenOnce = (
  head: Pick<CoverageItem, 'id' | 'title' | 'flow'>,
  isSeen: boolean,
  close: () => GapClosing,
): CoverageItem => ({
  ...head,
  state: isSeen ? 'covered' : 'missing',
  sides: { seen: sideOf(isSeen, close) },
})

export const sideOf = (isSeen: boolean, close: () => GapClosing): CoverageSide =>
  isSeen ? { seen: true } : { seen: false, ...close() }

const CALLS: Readonly<Record<CallName, string>> = {
  use: 'a Use flow (E1)',
  create: 'a Create flow (E3)',
  par: 'a push of a Create request (E2)',
  token: 'an exchange of a code (E4)',
  upgrade: 'an upgrade (E5)',
  discovery: 'a read of the discovery document (E6)',
  jwks: 'a read of the key set (E6)',
}

/** Closes a gap by forcing an outcome. The sentence names the persona, if the flow has one. */
export function byOutcome({ flow, name, prelude }: Outcome, persona?: string): GapClosing {
  const as = persona === undefined ? '' : ` as ${persona}`
  const after = prelude ? ', after a good flow of the same client with another state and nonce' : ''
  return {
    closes: `force the outcome ${name} in ${CALLS[flow]}${as}${after}`,
    outcome: name,
    ...(persona === undefined ? {} : { persona }),
  }
}

/** Closes a gap by acting as a persona. Without a fitting persona, the user must add one. */
export const byPersona = (
  name: string | undefined,
  { because, otherwise }: { because: string; otherwise: string },
): GapClosing =>
  name === undefined
    ? {
        closes: `add a persona ${otherwise}, and run a Use flow as it: no persona of this sandbox fits`,
      }
    : { closes: `run a Use flow as ${name}: ${because}`, persona: name }
