import * as z from 'zod'
import type { AgeSignal } from '../age/signal.ts'

/**
 * The result of a port: at once if possible, as from memory. A call without a shared store then
 * runs in one turn.
 */
export type Awaitable<Value> = Value | Promise<Value>

/** Passes a value on to `next`, at once if the value is there. */
export const whenThere = <Value, Result>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Result>,
): Awaitable<Result> => (value instanceof Promise ? value.then(next) : next(value))

/** The only clock: it decides all lifetimes and ages. */
export interface Clock {
  /** Milliseconds since the UNIX epoch. */
  now(): number
}

/**
 * Where short-lived records live: transactions, request references, codes, tokens. Concurrency
 * duty: exactly one of two callers that `take` the same record receives it. A record may disappear
 * after `expiresAt`, or earlier when the store is full (the oldest goes first). Its reader decides,
 * from the record itself, whether a record that still exists has expired.
 */
export interface Store {
  /**
   * Keeps `value` (JSON) under `collection` and `id` until `expiresAt` (milliseconds of the sandbox
   * clock).
   * @param options.isUnfinished the record goes before others when there is no room
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
  /** Returns and removes the value in one step, which is the right to spend it. */
  take(collection: string, id: string): Awaitable<unknown>
  /**
   * Writes all changes in one step; `false`, and nothing is written, when a record or row has
   * changed.
   */
  write(changes: readonly RecordChange[]): Awaitable<boolean>
}

/** A write as data, so that several writes can be one step. */
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
      /** The value that the row must still have; absent when any will do. */
      readonly was?: { readonly value: unknown }
    }

/** Unguessable identifiers: `bytes` of randomness, base64url without padding. */
export interface Ids {
  random(bytes: number): string
}

/** The algorithms that can sign id_tokens. */
export const SIGNING_ALGORITHMS = ['RS256', 'ES256'] as const
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number]

/** Signs tokens and publishes the public half of its keys. */
export interface Signer {
  /** The algorithm for clients without their own; discovery lists it first. */
  readonly alg: SigningAlgorithm
  /** A signer for another algorithm, with keys of the same key set. */
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
  /** The algorithm of the client's id_tokens, where it differs from that of the signer. */
  readonly signingAlg?: SigningAlgorithm | undefined
  /** The registered redirect URIs. The built-in client may have none. */
  readonly redirectUris: readonly string[]
  /** Whether any path and port on this machine is registered too, as for the built-in client. */
  readonly allowsLoopback?: boolean
  /**
   * Whether `redirectUri` is registered: by exact match, or as an address on this machine if the
   * client allows these.
   */
  allowsRedirectTo(redirectUri: string): boolean
}

export interface Clients {
  /** The identifiers of all clients. */
  readonly ids: readonly string[]
  find(clientId: string): Client | undefined
}

/** What a user holds: age signals, under an identifier that an access token can name. */
export interface AgeKey {
  readonly id: string
  readonly signals: readonly AgeSignal[]
}

/** The age keys and their holders. */
export interface AgeKeys {
  /**
   * Create: the changes that give `holder` a new age key with these signals instead of the old one;
   * without a holder, a new user. The result names the holder.
   */
  saving(
    signals: readonly AgeSignal[],
    holder: string | undefined,
  ): Awaitable<{ readonly holder: string; readonly changes: readonly RecordChange[] }>
  /**
   * The changes that add signals to the age key `id`, or replace its signals; beyond the limit the
   * oldest go. `undefined` when the age key does not exist.
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
