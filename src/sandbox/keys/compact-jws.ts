import { sign } from 'node:crypto'
import { promisify } from 'node:util'
import { onDemand } from '../../files/on-demand.ts'
import type { SigningKey } from './signing-keys.ts'

/** Base64url without padding, of text or of the JSON of a value. */
export const encodePart = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url')

/** What is to be signed: a header, and a payload as a value or, for JSON that no serialiser would write, as text. */
export interface Unsigned {
  readonly header: Readonly<Record<string, unknown>>
  readonly payload: string | Readonly<Record<string, unknown>>
  /** The same input gives the same token: RS256 always does so, ES256 only on request. */
  readonly isRepeatable?: boolean
}

/** Node signs on another thread: calls that arrive together sign on all cores, and none waits for the signature of another one. */
const signOnThread = promisify(sign)

/**
 * A compact JWS (RFC 7515) whose signature is made with `key`, whatever its header says: a library would refuse most of the headers
 * that a relying party must refuse.
 */
export const signCompact = ({ header, payload, isRepeatable }: Unsigned, key: SigningKey): Promise<string> =>
  signInput(`${encodePart(header)}.${encodePart(payload)}`, key, isRepeatable)

/** What is to be signed with its signature behind a dot. */
export async function signInput(input: string, key: SigningKey, isRepeatable = true): Promise<string> {
  const signature = await signatureOf(Buffer.from(input), key, isRepeatable)
  return `${input}.${signature.toString('base64url')}`
}

async function signatureOf(input: Buffer, { alg, privateKey, privateJwk }: SigningKey, isRepeatable: boolean) {
  if (alg === 'RS256') return signOnThread('sha256', input, privateKey)
  if (!isRepeatable) return signOnThread('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const { signEs256 } = await loadSigner()
  return signEs256(input, String(privateJwk.d))
}

/** Its own arithmetic of the curve is needed only with a seed. */
const loadSigner = onDemand(() => import('./repeatable-es256.ts'))
