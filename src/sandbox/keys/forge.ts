import { createHmac } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import type { IdTokenClaims } from '../../oidc/callback.ts'
import { encodePart, type Unsigned } from './compact-jws.ts'

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

/** Signs with HMAC SHA-256: a relying party that takes a public key for a shared secret accepts the result. */
export function signWithSecret({ header, payload }: Unsigned, secret: string | Buffer): string {
  const input = `${encodePart(header)}.${encodePart(payload)}`
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}
