import { createHmac } from 'node:crypto'
import { isIP } from 'node:net'
import { Refusal } from '../../oidc/refusal.ts'
import { equalsSecret } from '../../oidc/request/client-auth.ts'
import { type Addresses, hostNamesOf } from '../../sandbox/addresses/addresses.ts'
import { LOOPBACK_HOSTS } from '../../sandbox/addresses/web-address.ts'
import { type Cookie, readCookie } from '../cookie.ts'
import { readForm } from '../form.ts'
import type { Incoming } from '../incoming.ts'
import { reasonForAllCalls, reasonForCall } from './beyond-machine.ts'
import { calledOrigin } from './caller-address.ts'
import { foreignHeader } from './foreign-site.ts'

/** How the control API is protected. */
export interface ControlGuard {
  /** Why every call may come from beyond this machine, if it may: where the server listens, or the base URL. */
  readonly beyondMachine: string | undefined
  readonly token: string | undefined
  /** Host names of the sandbox beside the loopback ones: those of the base URL and of the internal URL. */
  readonly hostNames: readonly string[]
  /** Whether every host name is one of the sandbox. */
  readonly trustsHost: boolean
  /** Origins of the sandbox itself. */
  readonly origins: readonly string[]
}

/** The guard of a server that listens on an address of this machine. */
export const createControlGuard = ({
  listeningOn,
  addresses,
  token,
}: {
  listeningOn: string
  addresses: Addresses
  token: string | undefined
}): ControlGuard => ({
  beyondMachine: reasonForAllCalls(listeningOn, addresses),
  token,
  hostNames: hostNamesOf(addresses),
  trustsHost: addresses.trustHost,
  origins: [new URL(addresses.baseUrl).origin],
})

/** The cookie by which a browser opens the console after it has sent the control token once. */
export const CONTROL_COOKIE = 'agekey_sandbox_control'

/** Paths that a browser opens without a bearer token: the home page, the console and its events, and the hosted pages, from which it may drive too. */
const COOKIE_PATHS = /^\/(?:_sandbox\/(?:console(?:\/.*)?|events)|v1\/oidc\/(?:use|create)(?:\/\w+)?)?$/

/** Why a call may come from beyond this machine, as the rest of a sentence; `undefined` for one that was made on it. */
export const reasonBeyondMachine = (request: Incoming, guard: ControlGuard): string | undefined =>
  guard.beyondMachine ?? reasonForCall(request)

/**
 * Why a call makes no tenant, as the rest of a sentence. A page of another site could push out the tenants in use by images and
 * hidden frames; a redirect of the whole window, as an app does it, makes one.
 */
export function reasonToMakeNoTenant(request: Incoming, guard: ControlGuard): string | undefined {
  const beyond = reasonBeyondMachine(request, guard)
  if (beyond !== undefined) return beyond
  if (!guard.trustsHost && !isReachedByName(request, guard))
    return `it came by the host ${shownHost(request)}, which is no name of this sandbox`
  const isVisit = request.header('sec-fetch-mode') === 'navigate' && request.header('sec-fetch-dest') === 'document'
  const foreign = isVisit ? undefined : foreignHeader(request, guard.origins)
  return foreign === undefined ? undefined : `a page of another site made it (${foreign})`
}

/**
 * Refuses a call that may not drive the sandbox.
 *
 * Every program of this machine may drive it, but not by a foreign host name that resolves to this address (DNS rebinding).
 * A call that may come from beyond this machine needs the control token; without a token in the settings the API is off for
 * it. What a page of another site sends is refused before, for every route that is not open to it.
 * @throws Refusal 401 or 403
 */
export function guardControl(request: Incoming, guard: ControlGuard): void {
  if (provesToken(request, guard)) return
  const beyond = reasonBeyondMachine(request, guard)
  if (guard.token !== undefined && (beyond !== undefined || offersToken(request))) throw noToken(request, beyond)
  if (beyond !== undefined)
    throw Refusal.forbidden(controlIsOff(beyond, '--control-token TOKEN (in the library: controlToken)'))
  refuseForeignHost(request, guard)
}

/** Why the control API is off, and how to mend it by a setting: for the answer to a call and for the start. */
export const controlIsOff = (beyond: string, setting: string): string =>
  `the control API is off: ${beyond}, and the sandbox has no control token; start it with ${setting} and send "Authorization: Bearer TOKEN"`

const offersToken = (request: Incoming) => /^bearer /i.test(request.authorization ?? '')

/** Whether the request carries the control token, or the cookie that comes of it. */
function provesToken(request: Incoming, { token }: ControlGuard): boolean {
  const bearer = /^bearer +(.+)$/i.exec(request.authorization ?? '')?.[1]
  const cookie = COOKIE_PATHS.test(request.path) ? readCookie(request, CONTROL_COOKIE) : undefined
  if (token === undefined || (bearer === undefined && cookie === undefined)) return false
  return (
    (bearer !== undefined && equalsSecret(bearer, token)) ||
    (cookie !== undefined && equalsSecret(cookie, cookieValue(token)))
  )
}

/** A digest of the token: a stolen cookie does not reveal the token. */
const cookieValue = (token: string) => createHmac('sha256', token).update(CONTROL_COOKIE).digest('base64url')

/**
 * The cookie that signs a browser in, or `undefined` when its form does not hold the control token.
 * @param options.path the path of the sandbox, all tenants included.
 */
export function signInCookie(
  request: Incoming,
  { token }: ControlGuard,
  options: { path: string; secure: boolean },
): Cookie | undefined {
  const { token: given } = readForm(request)
  if (token === undefined || given === undefined) return undefined
  if (!equalsSecret(given, token)) return undefined
  return { name: CONTROL_COOKIE, value: cookieValue(token), options: { ...options, sameSite: 'strict' } }
}

function noToken(request: Incoming, beyond: string | undefined): Refusal {
  const { authorization } = request
  const received =
    authorization === undefined ? 'it is absent' : `${offersToken(request) ? 'the bearer token' : 'it'} is another one`
  const orSignIn = COOKIE_PATHS.test(request.path) ? ', or sign in to the console with this browser' : ''
  const why = beyond === undefined ? '' : `, because ${beyond}`
  return Refusal.unauthorized(
    `Authorization: ${received}; send the control token of this sandbox as "Bearer TOKEN"${orSignIn}${why}`,
    'Bearer realm="agekey-sandbox control"',
  )
}

function refuseForeignHost(request: Incoming, guard: ControlGuard): void {
  if (isOwnName(calledName(request), guard)) return
  throw Refusal.forbidden(
    `Host: ${shownHost(request)} is not a name of this sandbox; use localhost, 127.0.0.1, the base URL or the internal URL, or send the control token`,
  )
}

/**
 * Refuses a form of a hosted page that came by a name of another site. An IP address, and a name below `localhost`, cannot
 * be made to resolve to this machine, so a sandbox without any settings is reached by them.
 * @throws Refusal 403
 */
export function refuseReboundHost(request: Incoming, guard: ControlGuard): void {
  if (isReachedByName(request, guard)) return
  throw Refusal.forbidden(
    `Host: ${shownHost(request)} is not a name of this sandbox; use localhost, an IP address, the base URL or the internal URL, or start it with --base-url or --internal-url for this name`,
  )
}

function isReachedByName(request: Incoming, guard: ControlGuard): boolean {
  const name = calledName(request)
  return isOwnName(name, guard) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name.endsWith('.localhost')
}

/** The host name by which a caller came, as URL parsers write it; empty when it names none. */
function calledName(request: Incoming): string {
  const origin = calledOrigin(request)
  return origin === undefined ? '' : new URL(origin).hostname
}

const isOwnName = (name: string, { hostNames }: ControlGuard) =>
  LOOPBACK_HOSTS.includes(name) || hostNames.includes(name)

const shownHost = (request: Incoming) => JSON.stringify((request.host ?? '').slice(0, 80))
