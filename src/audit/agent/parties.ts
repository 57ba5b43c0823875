import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { isLoopbackUrl } from '../../sandbox/addresses/addresses.ts'
import type { AuthorizationRequest, Hop } from './browser.ts'

/** Tells URLs of one app from URLs of the sandbox and of other parties. */
export interface Parties {
  /** Whether the audit may treat this URL as part of the app. */
  mayBeApp(url: URL): boolean
  partyOf(url: URL, sandboxUrl: string): Hop['party']
  /** Adds the origin of a URL to the app if `mayBeApp`. */
  addApp(url: URL): void
}

/** @param options.anyAddress whether the app may have public addresses */
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

/** The endpoint of the sandbox that an authorization request calls; `undefined` for other URLs. */
export function calledEndpoint(
  url: URL,
  sandboxUrl: string,
): AuthorizationRequest['endpoint'] | undefined {
  const path = pathBelow(url, sandboxUrl)
  if (path === '/v1/oidc/use') return 'E1'
  return path === '/v1/oidc/create' ? 'E3' : undefined
}

/**
 * The path of a URL below a base URL; `undefined` for other URLs. All loopback names count as the
 * same host, because an app may use another name of this machine.
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
 * A host name without a dot, as in Docker, or below a top-level domain that public DNS does not
 * serve (RFC 6761, RFC 6762, ICANN for `internal`).
 */
const PRIVATE_NAME = /^(?:[^.]+|.*\.(?:localhost|local|test|internal))$/

/**
 * Whether the host of a URL is on this machine or in a private network. Only the name or address in
 * the URL decides, without a DNS lookup.
 * @example
 * ```ts
 * isPrivateAddress('http://app.test:3000/') // true
 * isPrivateAddress('https://example.com/') // false
 * ```
 */
export function isPrivateAddress(url: string | URL): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '')
  // BlockList also compares an IPv4-mapped address (`::ffff:10.0.0.1`) with the IPv4 networks.
  if (isIPv6(host)) return PRIVATE.check(host, 'ipv6')
  return isIPv4(host) ? PRIVATE.check(host) : PRIVATE_NAME.test(host)
}
