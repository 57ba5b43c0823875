import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import {
  type Addresses,
  hostNamesOf,
  isLoopbackHost,
  isLoopbackUrl,
} from '../../../sandbox/addresses/addresses.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { equalsSecret } from '../../../service/oidc/request/client-auth.ts'
import { type Cookie, readCookie } from '../cookie.ts'
import { readForm } from '../form.ts'
import type { Incoming } from '../incoming.ts'
import { calledOrigin, forwardedOrigin } from './called-address.ts'
import { holdsCredential, isProxyHeader, namesCaller } from './proxy-headers.ts'

/** The settings that decide who may drive the sandbox. */
export interface ControlGuard {
  /**
   * Why any call may come from another machine: the listening address or the base URL. Absent when
   * only this machine can call.
   */
  readonly beyondMachine: string | undefined
  /** The control token, if one is set. */
  readonly token: string | undefined
  /** Host names of the sandbox other than loopback: from the base URL and the internal URL. */
  readonly hostNames: readonly string[]
  /** Whether any host name counts as a name of the sandbox (`trustHost`). */
  readonly trustsHost: boolean
  /** Whether browsers may use any host name too. */
  readonly followsHost: boolean
  /** Origins of the sandbox itself. */
  readonly origins: readonly string[]
}

export const createControlGuard = (
  addresses: Addresses,
  { listeningOn, token }: { listeningOn: string; token: string | undefined },
): ControlGuard => ({
  beyondMachine: reasonForAllCalls(listeningOn, addresses),
  token,
  hostNames: hostNamesOf(addresses),
  trustsHost: addresses.trustHost,
  followsHost: addresses.followed === 'all',
  origins: [new URL(addresses.baseUrl).origin],
})

/** Set after a browser has sent the control token once. */
const CONTROL_COOKIE = 'agekey_sandbox_control'

/**
 * Paths for which the cookie replaces the bearer token: home page, console, events and hosted pages
 * (a hosted page may also drive the sandbox).
 */
const COOKIE_PATHS =
  /^\/(?:_sandbox\/(?:console(?:\/.*)?|events)|v1\/oidc\/(?:use|create)(?:\/\w+)?)?$/

/**
 * Why a call may come from another machine, worded as the end of a sentence; `undefined` for a call
 * from this machine.
 */
export const reasonBeyondMachine = (request: Incoming, guard: ControlGuard): string | undefined =>
  guard.beyondMachine ?? reasonForCall(request)

/**
 * Why a call must not create a tenant, worded as the end of a sentence; `undefined` when it may.
 * Images and hidden frames of another site could evict tenants in use. A top-level navigation, as
 * an app makes it, may create a tenant.
 */
export function reasonToMakeNoTenant(request: Incoming, guard: ControlGuard): string | undefined {
  const beyond = reasonBeyondMachine(request, guard)
  if (beyond !== undefined) return beyond
  if (!guard.trustsHost && !isReachedByName(calledName(request), guard))
    return `it came by the host ${beginning(request.host)}, which is no name of this sandbox`
  const isVisit =
    request.header('sec-fetch-mode') === 'navigate' &&
    request.header('sec-fetch-dest') === 'document'
  const foreign = isVisit ? undefined : foreignHeader(request, guard.origins)
  return foreign === undefined ? undefined : `a page of another site made it (${foreign})`
}

/**
 * Refuses a call that may not drive the sandbox: from another machine without the control token, or
 * under a foreign host name that resolves to this address (DNS rebinding).
 * @throws Refusal 401 or 403
 */
export function guardControl(request: Incoming, guard: ControlGuard): void {
  if (provesToken(request, guard)) return
  const beyond = reasonBeyondMachine(request, guard)
  if (guard.token !== undefined && (beyond !== undefined || offersToken(request)))
    throw noToken(request, beyond)
  if (beyond !== undefined)
    throw Refusal.forbidden(
      controlIsOff(beyond, '--control-token TOKEN (in the library: controlToken)'),
    )
  if (isOwnName(calledName(request), guard)) return
  throw Refusal.forbidden(
    `Host: ${beginning(request.host)} is not a name of this sandbox; use localhost, 127.0.0.1, the base URL or the internal URL, or send the control token`,
  )
}

/**
 * Says why the control API is off and which setting turns it on, for refusals and for the warning
 * at the start.
 */
export const controlIsOff = (beyond: string, setting: string): string =>
  `the control API is off: ${beyond}, and the sandbox has no control token; start it with ${setting} and send "Authorization: Bearer TOKEN"`

const offersToken = (request: Incoming) => /^bearer /i.test(request.authorization ?? '')

/** Whether the request holds the control token or the cookie derived from it. */
function provesToken(request: Incoming, { token }: ControlGuard): boolean {
  const bearer = /^bearer +(.+)$/i.exec(request.authorization ?? '')?.[1]
  const cookie = COOKIE_PATHS.test(request.path) ? readCookie(request, CONTROL_COOKIE) : undefined
  if (token === undefined || (bearer === undefined && cookie === undefined)) return false
  return (
    (bearer !== undefined && equalsSecret(bearer, token)) ||
    (cookie !== undefined && equalsSecret(cookie, cookieValue(token)))
  )
}

/** A digest: a stolen cookie does not reveal the token. */
const cookieValue = (token: string) =>
  createHmac('sha256', token).update(CONTROL_COOKIE).digest('base64url')

/**
 * The cookie that signs a browser in; `undefined` when the submitted form lacks the right control
 * token.
 */
export function signInCookie(
  request: Incoming,
  { token }: ControlGuard,
  options: { path: string; secure: boolean },
): Cookie | undefined {
  const { token: given } = readForm(request)
  if (token === undefined || given === undefined || !equalsSecret(given, token)) return undefined
  return {
    name: CONTROL_COOKIE,
    value: cookieValue(token),
    options: { ...options, sameSite: 'strict' },
  }
}

function noToken(request: Incoming, beyond: string | undefined): Refusal {
  const { authorization } = request
  const received =
    authorization === undefined
      ? 'it is absent'
      : `${offersToken(request) ? 'the bearer token' : 'it'} is another one`
  const orSignIn = COOKIE_PATHS.test(request.path)
    ? ', or sign in to the console with this browser'
    : ''
  const why = beyond === undefined ? '' : `, because ${beyond}`
  return Refusal.unauthorized(
    `Authorization: ${received}; send the control token of this sandbox as "Bearer TOKEN"${orSignIn}${why}`,
    'Bearer realm="agekey-sandbox control"',
  )
}

/**
 * Refuses a form of a hosted page under a foreign host name (DNS rebinding).
 * @throws Refusal 403
 */
export function refuseReboundHost(request: Incoming, guard: ControlGuard): void {
  const origin = calledOrigin(request)
  if (origin !== undefined && takesFormsAt(origin, guard)) return
  const remedy =
    origin === undefined
      ? ''
      : `, or start it with --base-url ${forwardedOrigin(request) ?? origin}`
  throw Refusal.forbidden(
    `Host: ${beginning(request.host)} is not a name of this sandbox; use localhost, an IP address, the base URL or the internal URL${remedy}`,
  )
}

/** Whether hosted pages under this origin may send their forms. */
export const takesFormsAt = (origin: string, guard: ControlGuard): boolean =>
  guard.followsHost || isReachedByName(new URL(origin).hostname, guard)

/**
 * Whether a host name is safe from DNS rebinding: a name of the sandbox, or an IP address, which no
 * DNS resolves.
 */
const isReachedByName = (name: string, guard: ControlGuard): boolean =>
  isOwnName(name, guard) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0

/** The normalized host name of the request; empty when the request has no valid `Host` header. */
function calledName(request: Incoming): string {
  const origin = calledOrigin(request)
  return origin === undefined ? '' : new URL(origin).hostname
}

const isOwnName = (name: string, { hostNames }: ControlGuard) =>
  isLoopbackHost(name) || hostNames.includes(name)

/**
 * Why any call may come from another machine; `undefined` when only a proxy can forward such a
 * call.
 */
function reasonForAllCalls(
  listeningOn: string,
  { baseUrl }: Pick<Addresses, 'baseUrl'>,
): string | undefined {
  if (!isLoopbackHost(listeningOn))
    return `the sandbox listens on ${listeningOn}, beyond this machine`
  if (!isLoopbackUrl(baseUrl)) return `the base URL ${baseUrl} names a host beyond this machine`
  return undefined
}

/**
 * Why a call to a loopback address may come from another machine; `undefined` when it cannot.
 * Decision: a forwarding header, whatever its value, proves that a proxy forwarded the call.
 */
function reasonForCall(request: Incoming): string | undefined {
  const forwarding = request.headerNames.filter(isProxyHeader)
  if (!request.isByTrustedProxy) {
    const [name] = forwarding
    return (
      name &&
      `the call came with ${shown(name, request)}, through a proxy that is not trusted (--trust-proxy)`
    )
  }
  const { caller } = request
  if (caller !== undefined && !isLoopbackHost(caller)) {
    return `the call came through a trusted proxy from ${beginning(caller)}`
  }
  if (request.header('x-forwarded-for')) return undefined
  const unread = forwarding.find(namesCaller)
  return (
    unread &&
    `a trusted proxy sent ${shown(unread, request)} and no X-Forwarded-For, which alone is read`
  )
}

const shown = (name: string, request: Incoming) =>
  holdsCredential(name) ? `the header ${name}` : `${name}: ${beginning(request.header(name))}`

/** Quotes the first 80 characters of a received value. */
const beginning = (text = '') => JSON.stringify(text.slice(0, 80))

/**
 * The pages whose requests a route accepts:
 * - `own-pages`: pages of the sandbox. If the route is a page, links of any site may open it in a
 * window of its own.
 * - `navigation`: any site may navigate to the route, in a window or in a frame, as relying parties
 * do.
 * - `every-page`: all pages, for public routes.
 */
export type OpenTo = 'own-pages' | 'navigation' | 'every-page'

/**
 * Refuses a request that a page of another site caused, unless the route accepts it.
 * @throws Refusal 403
 */
export function refuseForeignSite(
  request: Incoming,
  {
    openTo,
    isPage,
    ownOrigins,
  }: { openTo: OpenTo; isPage: boolean; ownOrigins: readonly string[] },
): void {
  if (openTo === 'every-page') return
  const foreign = foreignHeader(request, ownOrigins)
  if (foreign === undefined) return
  const [mode, destination] = [request.header('sec-fetch-mode'), request.header('sec-fetch-dest')]
  const isLink =
    mode === 'navigate' &&
    destination === 'document' &&
    (request.method === 'GET' || request.method === 'HEAD')
  if (openTo === 'own-pages' && !(isPage && isLink)) {
    throw refusalOfPage(request, foreign)
  }
  // A browser without `Sec-Fetch-Mode` is too old to be judged. The real service answers it too.
  if (openTo === 'navigation' && mode !== undefined && mode !== 'navigate') {
    throw forbidden(
      `${foreign}, Sec-Fetch-Mode: ${excerpt(mode)}, Sec-Fetch-Dest: ${excerpt(destination ?? 'absent')}: a page of another site begins a flow by a link, a redirect or an iframe, not by an image, a script or fetch`,
    )
  }
}

/**
 * Words the refusal of a request from a page under an unknown address. `Sec-Fetch-Site` tells other
 * sites from the sandbox itself under an unknown address. Older browsers lack the header, so their
 * refusal explains both cases.
 * @param foreign the header that names the other site: `Origin: https://evil.example`
 */
function refusalOfPage(request: Incoming, foreign: string): Refusal {
  const site = request.header('sec-fetch-site')
  if (site === 'same-origin') {
    return Refusal.byHttp(403, `${foreign}: ${unknownAddress(request)}`, {
      title: 'Not an address of this sandbox',
    })
  }
  const orUnknown =
    site === undefined ? `. If it is the sandbox itself: ${unknownAddress(request)}` : ''
  return forbidden(
    `${foreign}: a page of another site may not call this; open the address itself, or call it by a program${orUnknown}`,
  )
}

/**
 * Explains why the sandbox does not know the address in the browser, and which setting names the
 * address.
 */
function unknownAddress(request: Incoming): string {
  const origin = request.header('origin') ?? ''
  const isNamed = /^https?:/.test(origin) && URL.canParse(origin)
  const shown = isNamed ? new URL(origin).origin : forwardedOrigin(request)
  if (shown === undefined) {
    return `the browser hides the address of the page, as it does in a sandboxed frame, after a redirect from another site, and where a proxy sets Referrer-Policy: no-referrer; open ${calledOrigin(request) ?? 'the base URL'} in a window of its own, or let the proxy keep the headers of the sandbox`
  }
  return `the browser shows this sandbox at ${excerpt(shown)}, through a tunnel, a proxy or another name, and the sandbox does not know that address; start it with --base-url ${excerpt(shown)} (in the library: baseUrl)`
}

/**
 * Whether a call may begin a flow in the journal. Images and forms on any site can call a public
 * route without the user's knowledge, and their flows would displace the flows of the app. Scripts
 * of an app on this machine may begin flows, so that the journal shows their mistakes.
 */
export function mayBeginFlow(
  request: Incoming,
  { openTo, ownOrigins }: { openTo: OpenTo; ownOrigins: readonly string[] },
): boolean {
  if (openTo !== 'every-page') return true
  const origin = request.header('origin') ?? ''
  return (
    (URL.canParse(origin) && isLoopbackUrl(origin)) ||
    foreignHeader(request, ownOrigins) === undefined
  )
}

const forbidden = (message: string) =>
  Refusal.byHttp(403, message, { title: 'Not for pages of other sites' })

/**
 * The header that proves a request from another site, with its value; `undefined` without such a
 * header. Browsers send at least one of the two headers with each POST.
 */
function foreignHeader(request: Incoming, ownOrigins: readonly string[]): string | undefined {
  const site = request.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    return `Sec-Fetch-Site: ${excerpt(site)}`
  const origin = request.header('origin')
  const isOwn =
    origin === undefined || ownOrigins.includes(origin) || origin === calledOrigin(request)
  return isOwn ? undefined : `Origin: ${excerpt(origin)}`
}

const excerpt = (value: string) => (value.length > 80 ? `${value.slice(0, 80)}...` : value)
