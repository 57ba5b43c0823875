import { createHmac, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { IdTokenClaims } from '../../service/oidc/callback.ts'
import { onDemand } from '../files/on-demand.ts'
import type { SigningKey } from './signing-keys.ts'

/** Base64url without padding, of text or of the JSON of a value. */
export const encodePart = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/**
 * The input of a signature: a header, and a payload as a value or, for JSON that no serialiser
 * would write, as text.
 */
export interface Unsigned {
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: string | Readonly<Record<string, unknown>>
  /** The same input gives the same token: RS256 always does so, ES256 only on request. */
  readonly isRepeatable?: boolean
}

/**
 * Node signs on other threads: calls that arrive together are signed on all cores, and none waits
 * for the signature of another.
 */
const signOnThread = promisify(sign)

/**
 * Creates a compact JWS (RFC 7515), signed with `key` whatever the header says. A library would
 * refuse most headers that a relying party must refuse.
 */
export const signCompact = (
  { header, payload, isRepeatable }: Unsigned,
  key: SigningKey,
): Promise<string> => signInput(`${encodePart(header)}.${encodePart(payload)}`, key, isRepeatable)

/** Appends the signature to its input. */
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

/** Loaded only with a seed: a second implementation of the curve. */
const loadSigner = onDemand(() => import('./repeatable-es256.ts'))

/** An id_token taken apart: header, payload, and the three parts as text. */
export interface TakenApart {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: IdTokenClaims
  readonly parts: { readonly header: string; readonly payload: string; readonly signature: string }
}

/** Takes apart a token that this process signed. @throws when the token is no compact JWS */
export function takeApart(idToken: string): TakenApart {
  const [header = '', payload = '', signature = ''] = idToken.split('.')
  return {
    header: { ...decodeProtectedHeader(idToken) },
    claims: decodeJwt(idToken),
    parts: { header, payload, signature },
  }
}

/**
 * Signs with HMAC SHA-256: a relying party that takes a public key for a shared secret accepts the
 * result.
 */
export function signWithSecret({ header, payload }: Unsigned, secret: string | Buffer): string {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
