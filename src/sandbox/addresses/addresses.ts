import { BlockList, isIP } from 'node:net'
import proxyAddr from 'proxy-addr'
import { didYouMean } from '../../service/text/message-parts.ts'
import { ConfigError } from '../files/config-error.ts'

/** The URLs of a sandbox or of one of its tenants, without a trailing slash. */
export interface Addresses {
  /** The base URL for browsers and tokens. Issuer identifiers begin with it. */
  readonly baseUrl: string
  /** The base URL of the same sandbox for servers. */
  readonly internalUrl: string | undefined
  /** Whether discovery answers with URLs of the host that a server called. */
  readonly trustHost: boolean
  /**
   * The callers whose own address replaces the base URL, also in issuers:
   * - `none`: the base URL is set and is the same for all callers.
   * - `loopback`: a call to a loopback host at any port. A container port can be mapped without a
   *   setting.
   * - `all`: a call to any host, because the settings trust the host.
   */
  readonly followed: 'none' | 'loopback' | 'all'
}

/** The settings of addresses. Each value has been validated. */
export interface AddressOptions {
  readonly baseUrl?: string | undefined
  readonly basePath?: string | undefined
  readonly internalUrl?: string | undefined
  readonly trustHost?: boolean | undefined
}

/**
 * Determines the addresses of a sandbox.
 * @param listening.port the port on which the server listens
 * @param listening.host the address on which the server listens
 * @throws ConfigError with one line that names the option when two settings contradict each other
 */
export function settleAddresses(
  options: AddressOptions,
  {
    protocol,
    port,
    host = 'localhost',
  }: { protocol: 'http' | 'https'; port: number; host?: string },
): Addresses {
  const basePath = options.basePath?.replace(/\/$/, '')
  const baseUrl = withPath(
    normalizeBaseUrl(options.baseUrl ?? `${protocol}://${nameFor(host)}:${port}`),
    basePath,
  )
  const internalUrl =
    options.internalUrl === undefined ? undefined : normalizeBaseUrl(options.internalUrl)
  if (internalUrl === baseUrl) {
    throw ConfigError.of(
      `internalUrl: ${internalUrl} is the base URL; give the other address by which servers call, or leave it out`,
    )
  }
  const trustHost = options.trustHost ?? false
  const unset = trustHost ? 'all' : 'loopback'
  return {
    baseUrl,
    internalUrl,
    trustHost,
    followed: options.baseUrl === undefined ? unset : 'none',
  }
}

/**
 * The host name for clients of a server that listens on `host`: `localhost`, unless the server
 * listens on one network address.
 */
function nameFor(host: string): string {
  const address = isIP(host) === 6 ? `[${host}]` : host
  const isAddress = isIP(host) !== 0 && URL.canParse(`http://${address}`)
  if (!isAddress || isLoopbackHost(host)) return 'localhost'
  const { hostname } = new URL(`http://${address}`)
  return EVERY_ADDRESS.includes(hostname) ? 'localhost' : hostname
}

/** The addresses below `path`. */
export const addressesBelow = (
  { baseUrl, internalUrl, ...rest }: Addresses,
  path: string,
): Addresses => ({
  ...rest,
  baseUrl: baseUrl + path,
  internalUrl: internalUrl === undefined ? undefined : internalUrl + path,
})

/**
 * Whether a caller at `origin` is answered with URLs of that origin instead of the base URL.
 * @param origin the normalised origin of the `Host` header: `http://localhost:8080`
 */
export function isFollowed(origin: string, { internalUrl, followed }: Addresses): boolean {
  if (followed === 'none') return false
  if (internalUrl !== undefined && new URL(internalUrl).origin === origin) return false
  return followed === 'all' || isLoopbackUrl(origin)
}

/** The base URL for callers at `origin`. */
export const baseUrlAt = (origin: string, addresses: Addresses): string =>
  isFollowed(origin, addresses) ? origin + pathOf(addresses.baseUrl) : addresses.baseUrl

/** The path of a URL without a trailing slash; empty for the root of a host. */
export const pathOf = (address: string): string => new URL(address).pathname.replace(/\/$/, '')

/** The host names in the addresses. */
export const hostNamesOf = ({ baseUrl, internalUrl }: Addresses): string[] =>
  [baseUrl, ...(internalUrl === undefined ? [] : [internalUrl])].map(
    (address) => new URL(address).hostname,
  )

function withPath(baseUrl: string, basePath: string | undefined): string {
  const path = pathOf(baseUrl)
  if (basePath === undefined || basePath === path) return baseUrl
  if (path === '') return baseUrl + basePath
  throw ConfigError.of(
    `basePath: ${basePath || '/'} is not the path of the base URL ${baseUrl}; give one of the two`,
  )
}

/** Names of address ranges that Express knows. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** Why `text` does not name proxies that Express can trust; `undefined` if it does. */
export function proxyProblem(text: string): string | undefined {
  // Express would read a bare number as an address, but the author means a number of proxies.
  if (!/^\d+$/.test(text) && isRange(text)) return undefined
  const hint = didYouMean(text, RANGES) || ' Give an address, a range like 10.0.0.0/8, or loopback'
  return `${JSON.stringify(text)} is no address of a proxy.${hint}`
}

function isRange(text: string): boolean {
  try {
    proxyAddr.compile(text)
    return true
  } catch {
    return false
  }
}

const LOOPBACK_ADDRESSES = new BlockList()
LOOPBACK_ADDRESSES.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK_ADDRESSES.addAddress('::1', 'ipv6')

/**
 * Whether a host is always this machine: `localhost` and its subdomains (RFC 6761 section 6.3),
 * 127.0.0.0/8, `::1`, and IPv4-mapped IPv6 addresses.
 * @param host an IP address, or the `hostname` of a URL
 * @example
 * ```ts
 * isLoopbackHost('shop.localhost') // true
 * isLoopbackHost('[::1]') // true
 * isLoopbackHost('192.168.0.1') // false
 * ```
 */
export function isLoopbackHost(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  const version = isIP(address)
  if (version !== 0) return LOOPBACK_ADDRESSES.check(address, version === 4 ? 'ipv4' : 'ipv6')
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}

/** Whether the host of a URL is always this machine. */
export const isLoopbackUrl = (url: string): boolean => isLoopbackHost(new URL(url).hostname)

/**
 * Why a client must not register `text` as a redirect URI; `undefined` if it may. Both `https` and
 * `http` are allowed. The text is not normalised, because redirect URIs are compared by exact
 * match.
 */
export function redirectUriProblem(text: string): string | undefined {
  const problem = webAddressProblem(text)
  if (problem !== undefined)
    return `${problem}; a redirect URI looks like https://shop.example/callback`
  if (text.includes('#'))
    return `a redirect URI has no fragment, ${JSON.stringify(text)} has one; leave out the # and what follows`
  return undefined
}

/** Warnings about an allowed redirect URI, one sentence each. */
function warningsOf(redirectUri: string): string[] {
  const { protocol, hostname } = new URL(redirectUri)
  const isClearText = protocol === 'http:' && !isLoopbackHost(hostname)
  const inHost = hostname.includes('*') ? '; no host has such a name, so no browser reaches it' : ''
  return [
    ...(isClearText
      ? ['sends tokens over the network in the clear; use https beyond this machine']
      : []),
    ...(redirectUri.includes('*')
      ? [
          `has a *, which is compared as a character and is no wildcard${inHost}; register each address by itself`,
        ]
      : []),
  ]
}

/** The warnings about the redirect URIs of clients. */
export const redirectUriWarnings = (
  clients: readonly { readonly clientId: string; readonly redirectUris: readonly string[] }[],
): string[] =>
  clients.flatMap(({ clientId, redirectUris }) =>
    redirectUris.flatMap((uri) =>
      warningsOf(uri).map((warning) => `client ${clientId}: ${uri} ${warning}`),
    ),
  )

/** Why `text` cannot be the base URL; `undefined` if it can. */
export const baseUrlProblem = (text: string): string | undefined =>
  endpointRootProblem(text, { kind: 'a base URL', example: 'http://localhost:2435' })

/** Why `text` cannot be the internal URL; `undefined` if it can. */
export const internalUrlProblem = (text: string): string | undefined =>
  endpointRootProblem(text, { kind: 'an internal URL', example: 'http://agekey-sandbox:2435' })

/** Why `text` cannot be the path of the base URL; `undefined` if it can. */
export function basePathProblem(text: string): string | undefined {
  const shown = JSON.stringify(text)
  if (!text.startsWith('/'))
    return `${shown} does not begin with a slash; a base path looks like /agekey`
  if (!/^(?:\/[\w.~-]+)*\/?$/.test(text) || /\/\.{1,2}(?:\/|$)/.test(text)) {
    return `${shown} is not a path of letters, digits, ".", "_", "~" and "-"; a base path looks like /agekey`
  }
  return tenantPathProblem(text)
}

/**
 * Normalises a base URL and removes its trailing slashes, because the paths of endpoints are
 * appended.
 */
export function normalizeBaseUrl(baseUrl: string): string {
  return new URL(baseUrl).href.replace(/\/+$/, '')
}

function endpointRootProblem(
  text: string,
  { kind, example }: { kind: string; example: string },
): string | undefined {
  const problem = webAddressProblem(text)
  if (problem !== undefined) return `${problem}; ${kind} looks like ${example}`
  if (/[?#]/.test(text)) {
    return `${kind} has neither query nor fragment, ${JSON.stringify(text)} has; endpoints are appended to its path`
  }
  const { hostname, port, pathname } = new URL(text)
  const unopenable = hostProblem(hostname) ?? portProblem(port)
  if (unopenable !== undefined)
    return `${JSON.stringify(text)} ${unopenable}; ${kind} looks like ${example}`
  return surplusProblem(text, { kind, pathname }) ?? tenantPathProblem(pathname)
}

/** Hosts that mean all addresses of the machine, to listen on. */
const EVERY_ADDRESS = ['0.0.0.0', '[::]', '[::ffff:0:0]']

/** Why clients cannot open a URL with this host, as the end of a sentence. */
function hostProblem(hostname: string): string | undefined {
  if (EVERY_ADDRESS.includes(hostname)) {
    return `names the host ${hostname}, on which a server listens and which no browser opens: give that to the setting host, and here the name that browsers open`
  }
  if (/^(?:\[.*\]|[\p{L}\p{N}._-]+)$/u.test(hostname)) return undefined
  return `names the host ${hostname}, and no host has such a name: give the name that browsers open`
}

/** Why clients cannot open a URL with this port, as the end of a sentence. */
function portProblem(port: string): string | undefined {
  if (port !== '0') return undefined
  return 'has port 0, which stands for a free port and is none: leave this setting out, and each caller on this machine gets the port that it called'
}

/** Paths below the base URL in the URLs that the sandbox prints and serves. */
const BELOW_BASE_URL = /\/(?:v1\/(?:oidc|svc|agekey)|\.well-known|_sandbox)(?:\/.*)?$/

/** Recognises the URL of an issuer, a discovery document or a page, which is not a base URL. */
function surplusProblem(
  text: string,
  { kind, pathname }: { kind: string; pathname: string },
): string | undefined {
  const [surplus] = BELOW_BASE_URL.exec(pathname) ?? []
  if (surplus === undefined) return undefined
  return `${JSON.stringify(text)} is an address below ${kind}: leave out ${surplus}, which the sandbox appends itself`
}

/**
 * Refuses a base path with the segment `t`: tenants are below `/t/`, so the path would be
 * ambiguous.
 */
function tenantPathProblem(path: string): string | undefined {
  if (!path.split('/').includes('t')) return undefined
  return `${JSON.stringify(path)} has the part "t", below which the tenants are; choose another path`
}

function webAddressProblem(text: string): string | undefined {
  // The URL parser accepts white space, backslashes and a wrong number of slashes. Redirect URIs
  // are compared by exact match, so these are refused.
  if (!/^https?:\/\/(?![/?#])[^\s\\\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) {
    return `${JSON.stringify(text)} is not an http or https URL`
  }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) return 'the URL names a user or a password'
  return undefined
}
