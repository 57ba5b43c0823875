import { ConfigError } from '../../files/config-error.ts'
import { normalizeBaseUrl } from './web-address.ts'

/** Where a sandbox, or one tenant of it, is reached. All without a slash at the end. */
export interface Addresses {
  /** For browsers, and in tokens: the issuers begin with it. */
  readonly baseUrl: string
  /** The same place by the name that servers use. */
  readonly internalUrl: string | undefined
  /** Whether a server that calls by still another name is given addresses under that name. */
  readonly trustHost: boolean
}

/** What may be said about the addresses of a sandbox, each checked by itself already. */
export interface AddressOptions {
  readonly baseUrl?: string | undefined
  readonly basePath?: string | undefined
  readonly internalUrl?: string | undefined
  readonly trustHost?: boolean | undefined
}

/**
 * The addresses of a sandbox that listens on `port` of this machine.
 * @throws ConfigError with one line that names the option: two paths that differ, two addresses that are one
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
