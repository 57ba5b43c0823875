import type { SigningAlgorithm } from '../../oidc/ports.ts'
import type { KnownOutcome, KnownPersona } from './names.ts'

/** A relying party as `createSandbox` and `configure` take it. */
export interface ClientSettings {
  readonly clientId: string
  readonly clientSecret: string
  readonly name?: string | undefined
  /** Path of an image file. */
  readonly logo?: string | undefined
  /** Matched character by character. */
  readonly redirectUris: readonly string[]
  /** Decides for every request of this client, without a choice page. */
  readonly persona?: KnownPersona | undefined
  /** Signs the id_tokens of this client; the `signingAlg` of the sandbox when absent. */
  readonly signingAlg?: SigningAlgorithm | undefined
}

/** How long things live, in seconds. */
export interface Lifetimes {
  readonly requestUri: number
  readonly code: number
  readonly idToken: number
  readonly accessToken: number
}

/** Variants by the names of their readings: `{ par_status: '200', typ: 'absent' }`. Numbers count as text. */
export interface Readings {
  readonly [reading: string]: string | number
}

/** What a tenant may have of its own, as `createSandbox` takes it; what is left out stays, null takes a default away. */
export interface TenantChange {
  readonly persona?: KnownPersona | null | undefined
  readonly outcome?: KnownOutcome | null | undefined
  /** Replaces the declared clients; the built-in one stays. */
  readonly clients?: readonly ClientSettings[] | undefined
  readonly lifetimes?: { readonly [Name in keyof Lifetimes]?: Lifetimes[Name] | undefined } | undefined
  /** Seconds that the reply of a slow outcome (`token.slow`, `jwks.slow` ...) takes; at most 600. */
  readonly slowReplySeconds?: number | undefined
  /** Readings to set; those that are left out stay, null takes one back, or all of them. */
  readonly readings?: { readonly [reading: string]: string | number | null } | null | undefined
}

/** What `configure` has set of the readings of a tenant. */
export interface TenantReadings {
  readonly readings: Readonly<Record<string, string>>
}

/** What the clock of a sandbox shows; instants are ISO 8601 in UTC. */
export interface ClockState {
  now: string
  /** The instant from which relative dates count. */
  base: string
  /** Since the last set or reset. */
  advanced_seconds: number
  frozen: boolean
}
