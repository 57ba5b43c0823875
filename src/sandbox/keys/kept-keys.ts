import { createPublicKey, sign, verify } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'jose'
import type { SigningAlgorithm } from '../../service/oidc/ports.ts'
import { found } from '../../service/text/message-parts.ts'
import {
  importSigningKey,
  type SigningKey,
  type SigningKeys,
  type StoredKeys,
} from './signing-keys.ts'

/**
 * Imports stored keys, and checks that the public key verifies a signature of the private key:
 * OpenSSL imports most damaged keys without an error.
 * @throws Error that names the key and its fault without any private value
 */
export async function importKeptKeys(stored: StoredKeys): Promise<SigningKeys> {
  const [RS256, ES256] = await Promise.all([
    importKeptKey('RS256', stored.RS256),
    importKeptKey('ES256', stored.ES256),
  ])
  return { RS256, ES256 }
}

async function importKeptKey(alg: SigningAlgorithm, jwk: JWK): Promise<SigningKey> {
  const fault = faultOf(alg, jwk)
  if (fault !== undefined) throw new TypeError(`the ${alg} key ${fault}`)
  const key = await importSigningKey(alg, jwk).catch((cause: unknown) => {
    throw new TypeError(`the ${alg} key is damaged: OpenSSL cannot import it`, { cause })
  })
  if (await canVerifyItself(key)) return key
  throw new TypeError(
    `the ${alg} key is damaged: its public half does not verify what its private half signs`,
  )
}

/** The members of a private key, by algorithm. */
const FORMS = {
  RS256: { kty: 'RSA', crv: undefined, members: ['n', 'e', 'd', 'p', 'q', 'dp', 'dq', 'qi'] },
  ES256: { kty: 'EC', crv: 'P-256', members: ['x', 'y', 'd'] },
} as const

/** Why a JSON Web Key is not a usable private signing key; `undefined` if it is. */
function faultOf(alg: SigningAlgorithm, jwk: JWK): string | undefined {
  const { kty, crv, members } = FORMS[alg]
  if (jwk.kty !== kty) return `needs kty "${kty}" (${found(jwk.kty)})`
  if (crv !== undefined && jwk.crv !== crv) return `needs crv "${crv}" (${found(jwk.crv)})`
  if (jwk.use !== undefined && jwk.use !== 'sig')
    return `needs use "sig", or none (${found(jwk.use)})`
  if (jwk.key_ops !== undefined && ![jwk.key_ops].flat().includes('sign'))
    return 'has key_ops without "sign"'
  if (jwk.d === undefined) return 'is a public key: the private member d is missing'
  const missing = members.filter((name) => typeof jwk[name] !== 'string' || jwk[name] === '')
  if (missing.length > 0) return `lacks ${missing.join(', ')}: each is a text in base64url`
  return alg === 'RS256' ? rsaFault(jwk) : ecFault(jwk)
}

/** RFC 7518 section 3.3: minimum size of an RSA key. */
const MIN_RSA_BITS = 2048

/**
 * Checks that the members of a private RSA key are consistent (RFC 8017 section 3.2). OpenSSL uses
 * some of them and ignores the others.
 */
function rsaFault(jwk: JWK): string | undefined {
  const [n, e, d] = [numberIn(jwk.n), numberIn(jwk.e), numberIn(jwk.d)]
  const [p, q] = [numberIn(jwk.p), numberIn(jwk.q)]
  const bits = n.toString(2).length
  if (bits < MIN_RSA_BITS)
    return `has ${bits} bits; RS256 needs at least ${MIN_RSA_BITS} (RFC 7518 section 3.3)`
  if (p < 2n || q < 2n || p * q !== n) return 'is damaged: n, p and q do not belong together'
  if ((e * d) % (p - 1n) !== 1n || (e * d) % (q - 1n) !== 1n)
    return 'is damaged: e and d do not belong together'
  const [dp, dq, qi] = [numberIn(jwk.dp), numberIn(jwk.dq), numberIn(jwk.qi)]
  const isWhole = dp === d % (p - 1n) && dq === d % (q - 1n) && (qi * q) % p === 1n
  return isWhole ? undefined : 'is damaged: dp, dq and qi do not belong to the other members'
}

const numberIn = (text: string | undefined) => BigInt(`0x0${bytesIn(text).toString('hex')}`)
const bytesIn = (text: string | undefined) => Buffer.from(text ?? '', 'base64url')

/** RFC 7518 section 6.2: size of each member of a P-256 key. */
const P256_BYTES = 32

function ecFault(jwk: JWK): string | undefined {
  const wrong = FORMS.ES256.members.find((name) => bytesIn(jwk[name]).length !== P256_BYTES)
  return (
    wrong &&
    `is damaged: ${wrong} has ${bytesIn(jwk[wrong]).length} bytes, and P-256 needs ${P256_BYTES}`
  )
}

const signOnThread = promisify(sign)
const verifyOnThread = promisify(verify)

/** Whether the public key of the key set verifies a signature of the private key. */
async function canVerifyItself({ privateKey, publicJwk }: SigningKey): Promise<boolean> {
  const input = Buffer.from('agekey-sandbox')
  const publicKey = createPublicKey({ key: { ...publicJwk }, format: 'jwk' })
  return verifyOnThread('sha256', input, publicKey, await signOnThread('sha256', input, privateKey))
}
