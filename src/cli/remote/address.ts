import type { Settings } from '../../config/load-settings.ts'
import { ConfigError } from '../../files/config-error.ts'
import { pathOf, settleAddresses } from '../../sandbox/addresses/addresses.ts'

/** @param source what gave the URL, for the message: `--url` */
export function checkedUrl(url: string, source: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  throw ConfigError.of(`${source}: ${JSON.stringify(url)} is not a URL like http://127.0.0.1:2435`)
}

/** Where a sandbox of these settings is reached on this machine. @throws ConfigError for port 0 */
export function localAddress({ port, host, baseUrl, basePath, https, httpsCert }: Settings['sandbox']): string {
  if (port === 0)
    throw ConfigError.of('--url: needed, because port 0 stands for a free port that only the server knows')
  const protocol = https || httpsCert !== undefined ? 'https' : 'http'
  const local = new URL(`${protocol}://127.0.0.1:${port}`)
  // A server that listens on every address is asked on this machine's own.
  if (host === '::' || host === '::1') local.hostname = '[::1]'
  else if (host !== '0.0.0.0') local.hostname = host
  local.pathname = basePath ?? (baseUrl === undefined ? '' : pathOf(baseUrl))
  return local.href
}

/** What a sandbox of these settings calls itself. */
export function baseUrlOf({ port, https, httpsCert, ...addresses }: Settings['sandbox']): string {
  const protocol = https || httpsCert !== undefined ? 'https' : 'http'
  return settleAddresses(addresses, { protocol, port }).baseUrl
}
