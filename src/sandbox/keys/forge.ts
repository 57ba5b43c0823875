import { createHmac } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { IdTokenClaims } from '../../oidc/callback.ts'
import { encodePart, type Unsigned } from './compact-jws.ts'

/** An id_token taken apart: what it says, and its three parts as they were sent. */
export interface TakenApart {
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: IdTokenClaims
  readonly parts: { readonly header: string; readonly payload: string; readonly signature: string }
}

/** Takes a token apart that this process signed. @throws when it is no compact JWS */
export function takeApart(idToken: string): TakenApart {
  const [header = '', payload = '', signature = ''] = idToken.split('.')
  return {
    header: { ...decodeProtectedHeader(idToken) },
    claims: decodeJwt(idToken),
    parts: { header, payload, signature },
  }
}

/** A compact JWS with a SHA-256 HMAC: what becomes of a public key that is taken for a shared secret. */
export function signWithSecret({ header, payload }: Unsigned, secret: string | Buffer): string {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
