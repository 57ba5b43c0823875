import { createECDH, createHash, createHmac } from 'node:crypto'
import { modularInverse } from './modular-inverse.ts'

/** The order of the curve P-256 (FIPS 186-5). */
export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/**
 * An ES256 signature as a JWS has it (RFC 7518 section 3.4), the same one for the same input: its nonce is that of
 * RFC 6979. OpenSSL draws it, and then no run with ES256 would repeat another.
 * @param secret the member `d` of the private JWK.
 */
export function signEs256(input: string, secret: string): Buffer {
  const key = Buffer.from(secret, 'base64url')
  const digest = createHash('sha256').update(input).digest()
  const hash = numberOf(digest)
  const nonce = nonceOf(key, octetsOf(hash % P256_ORDER))
  const point = createECDH('prime256v1')
  point.setPrivateKey(octetsOf(nonce))
  // The uncompressed form: a byte 4, then x, then y.
  const r = numberOf(point.getPublicKey().subarray(1, 33)) % P256_ORDER
  const s = (modularInverse(nonce, P256_ORDER) * (hash + r * numberOf(key))) % P256_ORDER
  return Buffer.concat([octetsOf(r), octetsOf(s)])
}

/** RFC 6979 section 3.2, for numbers and digests of 256 bits. */
function nonceOf(key: Buffer, hash: Buffer): bigint {
  let mac = Buffer.alloc(32)
  let value = Buffer.alloc(32, 1)
  const next = (...more: Uint8Array[]) => {
    if (more.length > 0) mac = hmac(mac, value, ...more)
    value = hmac(mac, value)
  }
  next(Buffer.of(0), key, hash)
  next(Buffer.of(1), key, hash)
  for (;;) {
    next()
    const nonce = numberOf(value)
    if (nonce > 0n && nonce < P256_ORDER) return nonce
    next(Buffer.of(0))
  }
}

function hmac(key: Buffer, ...parts: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return Buffer.from(mac.digest())
}

const numberOf = (octets: Buffer) => BigInt(`0x${octets.toString('hex')}`)
const octetsOf = (number: bigint) => Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
