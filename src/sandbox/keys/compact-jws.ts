import { sign } from 'node:crypto'
import { onDemand } from '../../files/on-demand.ts'
import { type Awaitable, whenThere } from '../../oidc/ports.ts'
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

/**
 * A compact JWS (RFC 7515) whose signature is made with `key`, whatever its header says: a library would refuse most of the headers
 * that a relying party must refuse. It is made on this thread: a hop to another one costs a call more than it saves.
 */
export function signCompact(
  { header, payload, isRepeatable = true }: Unsigned,
  { alg, privateKey, privateJwk }: SigningKey,
): Awaitable<string> {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  if (alg === 'RS256') return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`
  if (!isRepeatable) {
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
    return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
  }
  return whenThere(
    loadSigner(),
    ({ signEs256 }) => `${input}.${signEs256(input, String(privateJwk.d)).toString('base64url')}`,
  )
}

/** Its own arithmetic of the curve is needed only with a seed. */
const loadSigner = onDemand(() => import('./repeatable-es256.ts'))
