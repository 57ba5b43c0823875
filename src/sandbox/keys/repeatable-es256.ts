import { p256 } from '@noble/curves/nist.js'

/**
 * An ES256 signature as a JWS has it (RFC 7518 section 3.4), the same one for the same input: its nonce is that of
 * RFC 6979. OpenSSL draws it, and then no run with ES256 would repeat another.
 * @param secret the member `d` of the private JWK.
 */
export function signEs256(input: Buffer, secret: string): Buffer {
  // Not the lower of two possible signatures, which other protocols ask for.
  return Buffer.from(p256.sign(input, Buffer.from(secret, 'base64url'), { lowS: false }))
}
