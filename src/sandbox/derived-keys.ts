import { checkPrime, createECDH, createHmac } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import { modularInverse } from './modular-inverse.ts'
import { P256_ORDER } from './repeatable-es256.ts'
import type { StoredKeys } from './signing-keys.ts'

/** Private keys that follow from `words`, the same ones in every process: for a seed, and for an attacker who keeps no secret. */
export async function deriveStoredKeys(words: string): Promise<StoredKeys> {
  return { RS256: await deriveRsaKey(words), ES256: deriveEcKey(words) }
}

const PUBLIC_EXPONENT = 65_537n

async function deriveRsaKey(words: string): Promise<JWK> {
  const [p, q] = await Promise.all([derivePrime(`${words} p`), derivePrime(`${words} q`)])
  const d = modularInverse(PUBLIC_EXPONENT, (p - 1n) * (q - 1n))
  const members = {
    n: p * q,
    e: PUBLIC_EXPONENT,
    d,
    p,
    q,
    dp: d % (p - 1n),
    dq: d % (q - 1n),
    qi: modularInverse(q, p),
  }
  return { kty: 'RSA', ...Object.fromEntries(Object.entries(members).map(([name, value]) => [name, encoded(value)])) }
}

const isPrime = promisify(checkPrime)

/** A prime of 1,024 bits. Its two highest bits are set, so that the product of two has 2,048. */
async function derivePrime(words: string): Promise<bigint> {
  for (let tried = 0; ; tried++) {
    const candidate = drawn(`${words} ${tried}`, 128) | (3n << 1022n) | 1n
    if (candidate % PUBLIC_EXPONENT !== 1n && (await isPrime(candidate))) return candidate
  }
}

function deriveEcKey(words: string): JWK {
  const secret = Buffer.from(((drawn(`${words} d`, 48) % (P256_ORDER - 1n)) + 1n).toString(16).padStart(64, '0'), 'hex')
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(secret)
  // The uncompressed form: a byte 4, then x, then y.
  const point = pair.getPublicKey()
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  return { kty: 'EC', crv: 'P-256', x, y, d: secret.toString('base64url') } as JWK
}

/** A number of at most 128 bytes that follows from `words`. */
function drawn(words: string, bytes: number): bigint {
  const block = (part: number) => createHmac('sha512', 'agekey-sandbox keys').update(`${words} ${part}`).digest()
  return BigInt(
    `0x${Buffer.concat([block(0), block(1)])
      .subarray(0, bytes)
      .toString('hex')}`,
  )
}

function encoded(value: bigint): string {
  const digits = value.toString(16)
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex').toString('base64url')
}
