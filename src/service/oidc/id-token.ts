import { hash } from 'node:crypto'
import type { AgeThresholds } from '../age/evaluate.ts'
import type { IdTokenClaims } from './callback.ts'
import { IDENTIFIER_BYTES } from './policy.ts'
import { type Provider, useIssuer } from './provider.ts'

/** The members of a Use request that the id_token repeats. */
interface AskedClaims {
  readonly clientId: string
  readonly nonce: string
  /** The decoded `claims` parameter, exactly as received. */
  readonly claimsText: string
}

/**
 * The claims of an id_token (specification, "ID token claims"). Times are in seconds since the UNIX
 * epoch.
 */
export function createIdTokenClaims(
  { clientId, nonce, claimsText }: AskedClaims,
  { ageThresholds, code }: { ageThresholds: AgeThresholds; code: string | undefined },
  provider: Provider,
): IdTokenClaims {
  const issuedAt = Math.floor(provider.clock.now() / 1000)
  return {
    sub: provider.ids.random(IDENTIFIER_BYTES),
    iss: useIssuer(provider),
    aud: [clientId],
    iat: issuedAt,
    exp: issuedAt + provider.lifetimes.idToken,
    nonce,
    age_thresholds: ageThresholds,
    req_claims_hash: requestClaimsHash(claimsText),
    ...(code === undefined ? {} : { c_hash: codeHash(code) }),
  }
}

/** The algorithm that signs the id_tokens of a client. */
export const signingAlgOf = (
  clientId: string,
  { clients, signer, policy }: Pick<Provider, 'clients' | 'signer' | 'policy'>,
) => policy.signingAlg ?? clients.find(clientId)?.signingAlg ?? signer.alg

/**
 * `req_claims_hash`: SHA-256 of the decoded `claims` parameter exactly as received, base64url
 * without padding.
 * @example
 * ```ts
 * requestClaimsHash('{"age_thresholds":[18]}') // 'kvrSyJ5C0mRVGNFmeDCgJCrJR7E3BjQItC-mblZCjgs'
 * ```
 */
export const requestClaimsHash = (claimsText: string) => hash('sha256', claimsText, 'base64url')

/**
 * `c_hash`: the left half of the SHA-256 of the code, base64url without padding (OpenID Connect
 * Core section 3.3.2.11).
 * @example
 * ```ts
 * codeHash('SplxlOBeZQQYbYS6WxSbIA') // 'o1uBp9eSe3DsmScN0jYriA'
 * ```
 */
export const codeHash = (code: string) =>
  hash('sha256', code, 'buffer').subarray(0, 16).toString('base64url')
