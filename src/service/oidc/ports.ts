import * as z from 'zod'
import type { AgeSignal } from '../age/signal.ts'

/**
 * The result of a port. It is not a promise if the value is available at once, as from memory: a
 * call without a shared store then completes synchronously.
 */
export type Awaitable<Value> = Value | Promise<Value>

/** Passes a value to `next`, synchronously if the value is not a promise. */
export const whenThere = <Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> => (value instanceof Promise ? value.then(next) : next(value))

/** The only source of time, for all lifetimes and ages. */
export interface Clock {
  /** Milliseconds since the UNIX epoch. */
  now(): number
}

/**
 * Storage for short-lived records: transactions, pushed requests, codes, tokens. A store must
 * return a record to exactly one of two concurrent callers of `take`. A store may remove a record
 * after `expiresAt`, or earlier when the store is full (the oldest record first). The reader of a
 * record checks whether it has expired.
 */
export interface Store {
  /**
   * Keeps `value` (JSON) under `collection` and `id`.
   * @param expiresAt milliseconds since the UNIX epoch, by the sandbox clock
   * @param options.isUnfinished a full store removes this record before others
   */
  put(
    collection: string,
    id: string,
    value: unknown,
    expiresAt: number,
    options?: { readonly isUnfinished?: boolean | undefined },
  ): Awaitable<void>
  /** The value, or `undefined`. */
  get(collection: string, id: string): Awaitable<unknown>
  /** Returns and removes the value in one step. The caller that receives it may spend it. */
  take(collection: string, id: string): Awaitable<unknown>
  /**
   * Writes all changes in one step. Writes nothing and returns `false` when a record or row has
   * changed.
   */
  write(changes: readonly RecordChange[]): Awaitable<boolean>
}

/** A write as data, so that several writes can be made in one step. */
export type RecordChange =
  | {
      readonly kind: 'put'
      readonly collection: string
      readonly id: string
      readonly value: unknown
      readonly expiresAt: number
      readonly options?: Parameters<Store['put']>[4]
    }
  /** Removes a record, which must still exist. */
  | { readonly kind: 'take'; readonly collection: string; readonly id: string }
  /** Writes a row of a table of the host; `undefined` removes the row. */
  | {
      readonly kind: 'row'
      readonly table: string
      readonly id: string
      readonly value: unknown
      /** The value that the row must still have; absent if any value is accepted. */
      readonly was?: { readonly value: unknown }
    }

/** Unguessable identifiers. */
export interface Ids {
  random(bytes: number): string
}

/** The algorithms that can sign id_tokens. */
export const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** Signs tokens and publishes the public half of its keys. */
export interface Signer {
  /** The default algorithm; discovery lists it first. */
  readonly alg: SigningAlgorithm
  /** A signer for another algorithm. Its keys are in the same key set. */
  withAlg(alg: SigningAlgorithm): Signer
  /** Signs `claims` as a compact JWT with `alg`, `kid` and `typ: JWT`. */
  sign(claims: Readonly<Record<string, unknown>>): Awaitable<string>
  /** The public keys, each with `kid`, `alg` and `use: sig`. */
  jwks(): Promise<{ keys: readonly Readonly<Record<string, unknown>>[] }>
}

/** A registered relying party. */
export interface Client {
  readonly clientId: string
  readonly clientSecret: string
  /** The name on the hosted screens. */
  readonly name: string
  /** The algorithm of the client's id_tokens (default: the algorithm of the signer). */
  readonly signingAlg?: SigningAlgorithm | undefined
  /** Registered redirect URIs. The built-in client may have none. */
  readonly redirectUris: readonly string[]
  /** Whether all loopback addresses are registered too, as for the built-in client. */
  readonly allowsLoopback?: boolean
  /**
   * Whether `redirectUri` is registered: by exact match or, if the client allows loopback
   * addresses, as a loopback address.
   */
  allowsRedirectTo(redirectUri: string): boolean
}

export interface Clients {
  /** The identifiers of all clients. */
  readonly ids: readonly string[]
  find(clientId: string): Client | undefined
}

/** The age signals of a user, under an id that an access token can name. */
export interface AgeKey {
  readonly id: string
  readonly signals: readonly AgeSignal[]
}

/** The age keys and their holders. */
export interface AgeKeys {
  /**
   * Create: the changes that replace the age key of `holder` by a new age key with these signals.
   * Without a holder a new user is created. The result names the holder.
   */
  saving(
    signals: readonly AgeSignal[],
    holder: string | undefined,
  ): Awaitable<{ readonly holder: string; readonly changes: readonly RecordChange[] }>
  /**
   * The changes that add signals to the age key `id`, or replace its signals if `keeps` is `false`.
   * Beyond the maximum number the oldest signals are removed. `undefined` when the age key does not
   * exist.
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

/** Lifetimes in seconds. */
export type Lifetimes = Readonly<z.infer<typeof lifetimesSchema>>
