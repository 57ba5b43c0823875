import { createHmac, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { IdTokenClaims } from '../../service/oidc/callback.ts'
import { onDemand } from '../files/on-demand.ts'
import type { SigningKey } from './signing-keys.ts'

/**
 * Encodes text, or the JSON of a value, as base64url without padding.
 * @example
 * ```ts
 * encodePart({ alg: 'none' }) // 'eyJhbGciOiJub25lIn0'
 * ```
 */
export const encodePart = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/**
 * The input of a signature. A text as payload can be JSON that no serialiser writes, or no JSON at
 * all.
 */
export interface Unsigned {
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: string | Readonly<Record<string, unknown>>
  /** Whether equal input gives equal tokens. With RS256 it always does; ES256 needs this option. */
  readonly isRepeatable?: boolean
}

/**
 * Signs in the thread pool of Node, so that concurrent calls use all cores and do not block the
 * event loop.
 */
const signOnThread = promisify(sign)

/**
 * Creates a compact JWS (RFC 7515). The signature is made with `key`, whatever the header says: a
 * JOSE library would refuse most of the headers that a relying party must refuse.
 */
export const signCompact = (
  { header, payload, isRepeatable }: Unsigned,
  key: SigningKey,
): Promise<string> => signInput(`${encodePart(header)}.${encodePart(payload)}`, key, isRepeatable)

/** Signs a text, and appends the signature. */
export async function signInput(
  input: string,
  key: SigningKey,
  isRepeatable = true,
): Promise<string> {
  const signature = await signatureOf(Buffer.from(input), key, isRepeatable)
  return `${input}.${signature.toString('base64url')}`
}

async function signatureOf(
  input: Buffer,
  { alg, privateKey, privateJwk }: SigningKey,
  isRepeatable: boolean,
) {
  if (alg === 'RS256') return signOnThread('sha256', input, privateKey)
  if (!isRepeatable)
    return signOnThread('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const { signEs256 } = await loadSigner()
  return signEs256(input, String(privateJwk.d))
}

/** A second implementation of ES256, which only a seed needs. */
const loadSigner = onDemand(() => import('./repeatable-es256.ts'))

/** The parts of an id_token, decoded and as text. */
export interface TakenApart {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: IdTokenClaims
  readonly parts: { readonly header: string; readonly payload: string; readonly signature: string }
}

/**
 * Decodes a token that this process signed, without verifying it.
 * @throws Error when the token is not a compact JWS
 */
export function takeApart(idToken: string): TakenApart {
  const [header = '', payload = '', signature = ''] = idToken.split('.')
  return {
    header: { ...decodeProtectedHeader(idToken) },
    claims: decodeJwt(idToken),
    parts: { header, payload, signature },
  }
}

/**
 * Signs with HMAC SHA-256. A relying party that uses a public key as a shared secret accepts the
 * result.
 */
export function signWithSecret({ header, payload }: Unsigned, secret: string | Buffer): string {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
