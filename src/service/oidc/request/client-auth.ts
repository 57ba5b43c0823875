import { hash, timingSafeEqual } from 'node:crypto'
import type { Client, Clients } from '../ports.ts'

/** A client identifier, and the secret that proves it. */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret: string
}

/**
 * E2: authenticates a client by form fields (`client_secret_post`); `undefined` for wrong
 * credentials.
 */
export function authenticateByForm(
  clients: Clients,
  credentials: { [Part in keyof Credentials]: string | undefined },
): Client | undefined {
  const { clientId, clientSecret } = credentials
  if (clientId === undefined || clientSecret === undefined) return undefined
  return verify(clients, { clientId, clientSecret })
}

/**
 * E4: authenticates a client by an `Authorization: Basic` header (`client_secret_basic`);
 * `undefined` for wrong credentials. The credentials may be form-encoded (RFC 6749 section 2.3.1)
 * or not.
 */
export function authenticateByBasic(
  clients: Clients,
  authorization: string | undefined,
): Client | undefined {
  const encoded = authorization?.match(/^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i)?.[1]
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = decoded.indexOf(':')
  if (colon < 0) return undefined
  const plain = { clientId: decoded.slice(0, colon), clientSecret: decoded.slice(colon + 1) }
  return verify(clients, plain) ?? verify(clients, formDecoded(plain))
}

/** E4: the `client_id` in an `Authorization: Basic` header. The credentials are not checked. */
export function basicClientId(authorization: string | undefined): string | undefined {
  const encoded = authorization?.match(/^basic +(\S+)/i)?.[1]
  return encoded && Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0]
}

/** E5: the token of an `Authorization: Bearer` header (RFC 6750 section 2.1), or `undefined`. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization?.match(/^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i)?.[1]
}

/** Compares two texts in constant time, also if their lengths differ. */
export function equalsSecret(given: string, expected: string): boolean {
  const digest = (text: string) => hash('sha256', text, 'buffer')
  return timingSafeEqual(digest(given), digest(expected))
}

function verify(clients: Clients, { clientId, clientSecret }: Credentials): Client | undefined {
  const client = clients.find(clientId)
  // An unknown client costs the same comparison as a known client.
  const equal = equalsSecret(clientSecret, client?.clientSecret ?? '')
  return client && equal ? client : undefined
}

/** Form-decodes the credentials; returns them unchanged when they are not well-formed. */
function formDecoded(plain: Credentials): Credentials {
  try {
    const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
    return { clientId: decode(plain.clientId), clientSecret: decode(plain.clientSecret) }
  } catch {
    return plain
  }
}
