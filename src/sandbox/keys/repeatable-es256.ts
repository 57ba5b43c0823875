import { p256 } from '@noble/curves/nist.js'

/**
 * Creates an ES256 signature of a JWS (RFC 7518 section 3.4) that is the same for the same input:
 * its nonce follows RFC 6979. OpenSSL draws the nonce at random, so that no run with ES256 could be
 * repeated.
 * @param secret the member `d` of the private JWK
 */
export function signEs256(input: Buffer, secret: string): Buffer {
  // JWS does not ask for the lower of the two possible signatures, as other protocols do.
  return Buffer.from(p256.sign(input, Buffer.from(secret, 'base64url'), { lowS: false }))
}
