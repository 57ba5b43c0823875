import { isFollowed } from '../../../sandbox/addresses/addresses.ts'
import { type Tenant, tenantAt } from '../../../sandbox/tenants/tenant.ts'
import type { Incoming } from '../incoming.ts'

/** The protocol and the `Host` header of a request. */
type CallAddress = Pick<Incoming, 'protocol' | 'host'>

/**
 * A view of the tenant under the address that the caller used, if the sandbox follows that address;
 * otherwise, and for a call at the base URL, the tenant itself.
 */
export function tenantForCaller(called: CallAddress, tenant: Tenant): Tenant {
  const { addresses, basePath } = tenant
  if (
    addresses.followed === 'none' ||
    addresses.baseUrl === `${called.protocol}://${called.host}${basePath}`
  )
    return tenant
  const origin = calledOrigin(called)
  return origin !== undefined && isFollowed(origin, addresses)
    ? tenantAt(tenant, origin + basePath)
    : tenant
}

/**
 * The URL of a tenant for the server that makes this call, without a trailing slash: the internal
 * URL if the call used its host, the called host if `trustHost` is set, otherwise the base URL.
 */
export function addressForCaller(
  called: CallAddress,
  { addresses, basePath }: Pick<Tenant, 'addresses' | 'basePath'>,
): string {
  const { baseUrl, internalUrl, trustHost } = addresses
  // If both URLs have the same host, the protocol decides.
  const isAtBase = isHostOf(baseUrl, called)
  if (internalUrl !== undefined && isHostOf(internalUrl, called)) {
    return isAtBase && !internalUrl.startsWith(`${called.protocol}:`) ? baseUrl : internalUrl
  }
  const origin = trustHost && !isAtBase ? calledOrigin(called) : undefined
  return origin === undefined ? baseUrl : origin + basePath
}

/**
 * The origin that a caller used; `undefined` when its Host header is invalid.
 * @example
 * calledOrigin({ protocol: 'https', host: 'Shop.example:443' }) // 'https://shop.example'
 */
export function calledOrigin({ protocol, host }: CallAddress): string | undefined {
  const url = `${protocol}://${host}`
  return HOST.test(host ?? '') && URL.canParse(url) ? new URL(url).origin : undefined
}

/**
 * A host name or IP address with an optional port. Characters that begin a user, a path or a query
 * do not match.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

function isHostOf(address: string, { host }: CallAddress): boolean {
  const { protocol, origin } = new URL(address)
  return calledOrigin({ protocol: protocol === 'https:' ? 'https' : 'http', host }) === origin
}

/**
 * The origin in the forwarding headers, which any proxy may send (`Forwarded`, RFC 7239, or
 * `X-Forwarded-*`); `undefined` without such headers.
 */
export function forwardedOrigin(request: Pick<Incoming, 'header'>): string | undefined {
  const standard = firstOf(request.header('forwarded')) ?? ''
  const host = firstOf(request.header('x-forwarded-host')) ?? parameterOf(standard, 'host')
  if (host === undefined) return undefined
  const proto = firstOf(request.header('x-forwarded-proto')) ?? parameterOf(standard, 'proto')
  const protocol = proto?.toLowerCase() === 'https' ? 'https' : 'http'
  const port = firstOf(request.header('x-forwarded-port'))
  const isPortNamed = port === undefined || /:\d+$/.test(host)
  return calledOrigin({ protocol, host: isPortNamed ? host : `${host}:${port}` })
}

const firstOf = (list: string | undefined) => list?.split(',', 1)[0]?.trim() || undefined

/** The value of a parameter in one element of `Forwarded` (RFC 7239 section 4). */
const parameterOf = (element: string, name: 'host' | 'proto') =>
  new RegExp(`(?:^|;)\\s*${name}="?([^";]+)`, 'i').exec(element)?.[1]
