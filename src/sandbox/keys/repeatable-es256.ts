import { p256 } from '@noble/curves/nist.js'

/**
 * Creates an ES256 signature of a JWS (RFC 7518 section 3.4) with a deterministic nonce (RFC 6979):
 * equal input gives an equal signature. OpenSSL uses a random nonce, so no run with ES256 could be
 * repeated.
 * @param secret the member `d` of the private JWK
 */
export function signEs256(input: Buffer, secret: string): Buffer {
  // JWS does not require the lower of the two possible values of S.
  return Buffer.from(p256.sign(input, Buffer.from(secret, 'base64url'), { lowS: false }))
}
