import { parse, type SerializeOptions, serialize } from 'cookie'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Incoming } from './incoming.ts'

/**
 * A cookie that a reply sets. It is always HttpOnly, and Secure when the request came over https.
 */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly options: Readonly<Pick<SerializeOptions, 'path' | 'sameSite' | 'maxAge' | 'secure'>>
}

/** The value of a request cookie; `undefined` when the browser sends no cookie of this name. */
export function readCookie(request: Pick<Incoming, 'header'>, name: string): string | undefined {
  const sent = request.header('cookie')
  return sent === undefined ? undefined : parse(sent)[name]
}

/** A cookie for the hosted pages of one tenant. `undefined` as value clears the cookie. */
export const hostedCookie = (
  name: string,
  value: string | undefined,
  { basePath }: Tenant,
): Cookie => ({
  name,
  value: value ?? '',
  options: {
    path: `${basePath}/v1/oidc`,
    sameSite: 'lax',
    ...(value === undefined ? { maxAge: 0 } : {}),
  },
})

export const serializeCookie = (
  { name, value, options }: Cookie,
  { isHttps }: { isHttps: boolean },
): string =>
  serialize(name, value, { ...options, httpOnly: true, secure: options.secure || isHttps })
