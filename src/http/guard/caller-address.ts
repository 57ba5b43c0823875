import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import type { Incoming } from '../incoming.ts'

/** The protocol and the host name by which a caller reached the sandbox. */
type CallAddress = Pick<Incoming, 'protocol' | 'host'>

/**
 * The URL of a tenant for the server that makes this call, without a slash at the end: the internal URL if the call came by its host, the
 * named host if `trustHost` is set, otherwise the base URL.
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
