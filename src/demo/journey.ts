import type { CheckView } from './checks.ts'
import type { ExchangeView } from './exchange.ts'

/** What the demo keeps in the session of one browser: one flow, from its request to its end. */
export type Journey = UseJourney | CreateJourney

/** Parameters by name, as they were sent. */
export type Sent = Readonly<Record<string, string>>

export interface UseJourney {
  readonly flow: 'use'
  readonly request: Sent
  /** Milliseconds since the UNIX epoch, by the clock of the sandbox. */
  readonly startedAt: number
  readonly returned?: Returned
  /** E4 and E5, when the user chose to upgrade. */
  readonly exchanges: readonly ExchangeView[]
}

export interface CreateJourney {
  readonly flow: 'create'
  /** E3; absent when E2 was refused. */
  readonly request?: Sent
  readonly state: string
  readonly returned?: Returned
  /** E2. */
  readonly exchanges: readonly ExchangeView[]
}

/** A callback, and what the app makes of it. */
export interface Returned {
  readonly params: Sent
  readonly checks: readonly CheckView[]
  /** The payload of the id_token. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Whether every check of a callback passed. */
export const isTrusted = ({ checks }: Returned) => checks.every(({ passed }) => passed)
