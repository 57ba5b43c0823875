import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { isLoopbackUrl } from '../../sandbox/addresses/addresses.ts'
import type { AuthorizationRequest, Hop } from './browser.ts'

/** Tells the URLs of one app from those of the sandbox and from all others. */
export interface Parties {
  /** Whether the audit may request this URL as one of the app. */
  mayBeApp(url: URL): boolean
  partyOf(url: URL, sandboxUrl: string): Hop['party']
  /** Adds the origin of a URL to the app if `mayBeApp`. */
  addApp(url: URL): void
}

/** @param options.anyAddress the app may have public addresses too */
export function createParties({
  anyAddress = false,
}: {
  anyAddress?: boolean | undefined
}): Parties {
  const origins = new Set<string>()
  const mayBeApp = (url: URL) => anyAddress || isPrivateAddress(url)
  return {
    mayBeApp,
    partyOf(url, sandboxUrl) {
      if (pathBelow(url, sandboxUrl) !== undefined) return 'sandbox'
      return origins.has(url.origin) ? 'app' : 'elsewhere'
    },
    addApp(url) {
      if (mayBeApp(url)) origins.add(url.origin)
    },
  }
}

/** The endpoint of the sandbox to which an authorization request goes. */
export function calledEndpoint(
  url: URL,
  sandboxUrl: string,
): AuthorizationRequest['endpoint'] | undefined {
  const path = pathBelow(url, sandboxUrl)
  if (path === '/v1/oidc/use') return 'E1'
  return path === '/v1/oidc/create' ? 'E3' : undefined
}

/**
 * The path of a URL below a base URL; `undefined` for other URLs. An app may reach the sandbox by
 * another name of this machine.
 */
function pathBelow(url: URL, baseUrl: string): string | undefined {
  const base = new URL(baseUrl)
  const isSamePort = url.protocol === base.protocol && url.port === base.port
  const isSameServer =
    url.origin === base.origin || (isSamePort && isLoopbackUrl(url.href) && isLoopbackUrl(baseUrl))
  const path = base.pathname.replace(/\/+$/, '')
  return isSameServer && `${url.pathname}/`.startsWith(`${path}/`)
    ? url.pathname.slice(path.length)
    : undefined
}

const NETWORKS =
  '127.0.0.0/8 10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16 ::1/128 fc00::/7 fe80::/10'
const PRIVATE = new BlockList()
for (const network of NETWORKS.split(' ')) {
  const [address = '', prefix] = network.split('/')
  PRIVATE.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4')
}
/**
 * A name without a dot, as in Docker, or below a top-level name that no public DNS serves (RFC
 * 6761, RFC 6762, ICANN).
 */
const PRIVATE_NAME = /^(?:[^.]+|.*\.(?:localhost|local|test|internal))$/

/**
 * Whether the host of a URL is on this machine or in a private network, by its name alone: there is
 * no DNS lookup.
 */
export function isPrivateAddress(url: string | URL): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '')
  // The list compares an IPv4 address in IPv6 form (`::ffff:10.0.0.1`) with the IPv4 networks.
  if (isIPv6(host)) return PRIVATE.check(host, 'ipv6')
  return isIPv4(host) ? PRIVATE.check(host) : PRIVATE_NAME.test(host)
}
