import type { Callback } from './callback.ts'
import type { Awaitable } from './ports.ts'

/** The claims of an id_token, in the order in which they are serialised. */
export type IdTokenClaims = Readonly<Record<string, unknown>>

/**
 * Places at which a host may change what is about to be sent, so that a relying party can be shown what it must refuse.
 * A real service has none.
 */
export interface Seams {
  /** The claims before they are signed. */
  claims?(claims: IdTokenClaims): Awaitable<IdTokenClaims>
  /** The signed id_token. */
  token?(idToken: string): Awaitable<string>
  /** The parameters that go back to the relying party. */
  callback?(callback: Callback): Awaitable<Callback>
  /** Those of a request that is refused, so that nothing else is about to be sent. */
  refusal?(callback: Callback): Awaitable<Callback>
}
