import type { AuthorizationRequest, Party } from './browser.ts'
import { isPrivateAddress } from './private-address.ts'

/** Tells the addresses of one app from those of the sandbox and from all others. */
export type Parties = ReturnType<typeof createParties>

/** @param options.anyAddress the app may have a public address too */
export function createParties({ anyAddress = false }: { anyAddress?: boolean | undefined }) {
  const origins = new Set<string>()
  /** Whether an address may be requested at all. */
  const mayBeApp = (url: URL): boolean => anyAddress || isPrivateAddress(url)
  return {
    mayBeApp,
    partyOf(url: URL, sandboxUrl: string): Party {
      if (pathBelow(url, sandboxUrl) !== undefined) return 'sandbox'
      return origins.has(url.origin) ? 'app' : 'elsewhere'
    },
    /** The origin of this address is the app's, unless the app may not have it. */
    addApp: (url: URL) => void (mayBeApp(url) && origins.add(url.origin)),
  }
}

/** Which endpoint of the sandbox the browser is sent to with an authorization request. */
export function endpointOf(url: URL, sandboxUrl: string): AuthorizationRequest['endpoint'] | undefined {
  const path = pathBelow(url, sandboxUrl)
  return path === '/v1/oidc/use' ? 'E1' : path === '/v1/oidc/create' ? 'E3' : undefined
}

/** The path of an address below a base URL; `undefined` when it is not below. */
function pathBelow({ origin, pathname }: URL, baseUrl: string): string | undefined {
  const base = new URL(baseUrl).href.replace(/\/+$/, '')
  const address = origin + pathname
  return `${address}/`.startsWith(`${base}/`) ? address.slice(base.length) : undefined
}
