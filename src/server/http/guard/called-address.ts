import { isFollowed } from '../../../sandbox/addresses/addresses.ts'
import { type Tenant, tenantAt } from '../../../sandbox/tenants/tenant.ts'
import type { Incoming } from '../incoming.ts'

/** The protocol and the host name by which a caller reached the sandbox. */
type CallAddress = Pick<Incoming, 'protocol' | 'host'>

/**
 * The tenant under the address that this caller used, if the sandbox follows that address,
 * otherwise under its base URL. For a call at the base URL the result is the tenant itself.
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
 * The URL of a tenant for the server that makes this call, without a slash at the end: the internal
 * URL if the call came by its host, the named host if `trustHost` is set, otherwise the base URL.
 */
export function addressForCaller(
  called: CallAddress,
  { addresses, basePath }: Pick<Tenant, 'addresses' | 'basePath'>,
): string {
  const { baseUrl, internalUrl, trustHost } = addresses
  // Both addresses may have the same host: then the protocol decides.
  const isAtBase = isHostOf(baseUrl, called)
  if (internalUrl !== undefined && isHostOf(internalUrl, called)) {
    return isAtBase && !internalUrl.startsWith(`${called.protocol}:`) ? baseUrl : internalUrl
  }
  const origin = trustHost && !isAtBase ? calledOrigin(called) : undefined
  return origin === undefined ? baseUrl : origin + basePath
}

/** The origin that a caller names; `undefined` when its Host header is no host. */
export function calledOrigin({ protocol, host }: CallAddress): string | undefined {
  const url = `${protocol}://${host}`
  return HOST.test(host ?? '') && URL.canParse(url) ? new URL(url).origin : undefined
}

/** A host name or address, and a port, without characters that begin a user, a path or a query. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

function isHostOf(address: string, { host }: CallAddress): boolean {
  const { protocol, origin } = new URL(address)
  return calledOrigin({ protocol: protocol === 'https:' ? 'https' : 'http', host }) === origin
}

/**
 * The origin that a proxy, trusted or not, names as the one that its caller asked for; `undefined`
 * without such headers.
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

/** A parameter of one element of `Forwarded` (RFC 7239 section 4). */
const parameterOf = (element: string, name: 'host' | 'proto') =>
  new RegExp(`(?:^|;)\\s*${name}="?([^";]+)`, 'i').exec(element)?.[1]
