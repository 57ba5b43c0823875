import { ConfigError } from '../../files/config-error.ts'
import { normalizeBaseUrl } from './web-address.ts'

/** The URLs under which a sandbox, or one of its tenants, is reached. None ends with a slash. */
export interface Addresses {
  /** For browsers and in tokens: issuer identifiers begin with this URL. */
  readonly baseUrl: string
  /** The URL of the same sandbox for servers. */
  readonly internalUrl: string | undefined
  /** Whether discovery answers with URLs under the host that a server called. */
  readonly trustHost: boolean
}

/** The settings about addresses. Each value was checked on its own before. */
export interface AddressOptions {
  readonly baseUrl?: string | undefined
  readonly basePath?: string | undefined
  readonly internalUrl?: string | undefined
  readonly trustHost?: boolean | undefined
}

/**
 * Settles the addresses of a sandbox that listens on `port` of this machine.
 * @throws ConfigError with one line that names the option: two settings contradict each other
 */
export function settleAddresses(
  options: AddressOptions,
  { protocol, port }: { protocol: 'http' | 'https'; port: number },
): Addresses {
  const basePath = options.basePath?.replace(/\/$/, '')
  const baseUrl = withPath(normalizeBaseUrl(options.baseUrl ?? `${protocol}://localhost:${port}`), basePath)
  const internalUrl = options.internalUrl === undefined ? undefined : normalizeBaseUrl(options.internalUrl)
  if (internalUrl === baseUrl) {
    throw ConfigError.of(
      `internalUrl: ${internalUrl} is the base URL; give the other address by which servers call, or leave it out`,
    )
  }
  return { baseUrl, internalUrl, trustHost: options.trustHost ?? false }
}

/** The addresses of what is served below `path`. */
export const addressesBelow = ({ baseUrl, internalUrl, trustHost }: Addresses, path: string): Addresses => ({
  baseUrl: baseUrl + path,
  internalUrl: internalUrl === undefined ? undefined : internalUrl + path,
  trustHost,
})

/** The path of an address, without a slash at the end: empty for the top of a host. */
export const pathOf = (address: string): string => new URL(address).pathname.replace(/\/$/, '')

/** The host names of the addresses. */
export const hostNamesOf = ({ baseUrl, internalUrl }: Addresses): string[] =>
  [baseUrl, ...(internalUrl === undefined ? [] : [internalUrl])].map((address) => new URL(address).hostname)

function withPath(baseUrl: string, basePath: string | undefined): string {
  const path = pathOf(baseUrl)
  if (basePath === undefined || basePath === path) return baseUrl
  if (path === '') return baseUrl + basePath
  throw ConfigError.of(`basePath: ${basePath || '/'} is not the path of the base URL ${baseUrl}; give one of the two`)
}
