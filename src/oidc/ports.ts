import * as z from 'zod'
import type { AgeSignal } from '../age/signal.ts'

/** What a port answers: at once where it can, as memory does, so that a call without a shared store runs in one turn. */
export type Awaitable<Value> = Value | Promise<Value>

/** What `next` makes of a value, at once when it is there. */
export const whenThere = <Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> => (value instanceof Promise ? value.then(next) : next(value))

/** The one time by which every lifetime and every age is judged. */
export interface Clock {
  /** Milliseconds since the UNIX epoch. */
  now(): number
}

/**
 * Where short-lived records live: transactions, request references, codes, tokens.
 *
 * Concurrency duty: of two callers that `take` the same record, exactly one receives it.
 * A record may disappear once `expiresAt` has passed, or earlier when the store is full (the oldest goes first);
 * whether a record that is still there counts as expired is judged by its reader, from what the record itself says.
 */
export interface Store {
  /**
   * Keeps `value` (JSON) under `collection` and `id` until `expiresAt` (milliseconds of the sandbox clock).
   * @param options.isUnfinished it goes before others when there is no room
   */
  put(
    collection: string,
    id: string,
    value: unknown,
    expiresAt: number,
    options?: { readonly isUnfinished?: boolean | undefined },
  ): Awaitable<void>
  /** The value, or `undefined` when there is none. */
  get(collection: string, id: string): Awaitable<unknown>
  /** Returns and removes the value in one step: the right to spend something once. */
  take(collection: string, id: string): Awaitable<unknown>
  /** Writes all changes in one step. `false`, and none is written, when a record or row is not what a change needs. */
  write(changes: readonly RecordChange[]): Awaitable<boolean>
}

/** A write as data, so that several can be one step. */
export type RecordChange =
  | {
      readonly kind: 'put'
      readonly collection: string
      readonly id: string
      readonly value: unknown
      readonly expiresAt: number
      readonly options?: Parameters<Store['put']>[4]
    }
  /** Removes a record, which must still be there. */
  | { readonly kind: 'take'; readonly collection: string; readonly id: string }
  /** Writes a row of a table of the host. */
  | {
      readonly kind: 'row'
      readonly table: string
      readonly id: string
      /** `undefined` removes the row. */
      readonly value: unknown
      /** What the row must still be; absent when it is written whatever it is. */
      readonly was?: { readonly value: unknown }
    }

/** Unguessable identifiers: `bytes` of randomness, base64url without padding. */
export interface Ids {
  random(bytes: number): string
}

/** The algorithms by which id_tokens can be signed. */
export const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** Signs tokens and publishes the public half of its keys. */
export interface Signer {
  /** The algorithm of the tokens of clients that have none of their own; discovery lists it first. */
  readonly alg: SigningAlgorithm
  /** The signer of another algorithm, with keys of the same key set. */
  withAlg(alg: SigningAlgorithm): Signer
  /** Signs `claims` as a compact JWT with `alg`, `kid` and `typ: JWT`. */
  sign(claims: Readonly<Record<string, unknown>>): Awaitable<string>
  /** Public keys only, each with `kid`, `alg` and `use: sig`. */
  jwks(): Promise<{ keys: readonly Readonly<Record<string, unknown>>[] }>
}

/** A registered relying party. */
export interface Client {
  readonly clientId: string
  readonly clientSecret: string
  /** Shown on the hosted screens. */
  readonly name: string
  /** The algorithm of its id_tokens, when that is not the one of the signer. */
  readonly signingAlg?: SigningAlgorithm | undefined
  /** Those that were registered; none for the built-in client. */
  readonly redirectUris: readonly string[]
  /** Whether `redirectUri` was registered, by exact match or, for the built-in client, any loopback address. */
  allowsRedirectTo(redirectUri: string): boolean
}

export interface Clients {
  /** The identifiers of the clients that a relying party can be. */
  readonly ids: readonly string[]
  find(clientId: string): Client | undefined
}

/** What a user holds: a set of age signals under an identifier that an access token can name. */
export interface AgeKey {
  readonly id: string
  readonly signals: readonly AgeSignal[]
}

/** The age keys that exist, and their holders. */
export interface AgeKeys {
  /**
   * Create: the changes after which `holder` holds a new age key with these signals and no longer the one it had; without a holder, a new
   * user holds it. The result names the one who holds it then.
   */
  saving(
    signals: readonly AgeSignal[],
    holder: string | undefined,
  ): Awaitable<{ readonly holder: string; readonly changes: readonly RecordChange[] }>
  /**
   * The changes that add signals to the key `id`, or put them in the place of all others; the oldest beyond the limit go. `undefined` when
   * there is no such key.
   */
  adding(
    id: string,
    signals: readonly AgeSignal[],
    how: { readonly keeps: boolean },
  ): Awaitable<readonly RecordChange[] | undefined>
}

export const lifetimesSchema = z.object({
  requestUri: z.number(),
  code: z.number(),
  idToken: z.number(),
  accessToken: z.number(),
})

/** How long things live, in seconds. */
export type Lifetimes = Readonly<z.infer<typeof lifetimesSchema>>
