import { parse, type SerializeOptions, serialize } from 'cookie'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Incoming } from './incoming.ts'

/**
 * A cookie that a reply sets. Scripts cannot read it, and a browser that came by https sends it
 * only by https.
 */
export interface Cookie {
  readonly name: string
  readonly value: string
  readonly options: Readonly<Pick<SerializeOptions, 'path' | 'sameSite' | 'maxAge' | 'secure'>>
}

/** The value of a cookie of the browser; `undefined` when the browser sends none of this name. */
export function readCookie(request: Pick<Incoming, 'header'>, name: string): string | undefined {
  const sent = request.header('cookie')
  return sent === undefined ? undefined : parse(sent)[name]
}

/**
 * A cookie that browsers send only to the hosted pages of this tenant; without a value the cookie
 * is cleared.
 */
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
