import type { Addresses } from '../../sandbox/addresses/addresses.ts'
import { isLoopbackUrl } from '../../sandbox/addresses/web-address.ts'
import type { Incoming } from '../incoming.ts'

/** Why every call may come from another machine; `undefined` when none does unless a proxy passes it on. */
export function reasonForAllCalls(listeningOn: string, { baseUrl }: Pick<Addresses, 'baseUrl'>): string | undefined {
  if (!LOOPBACK_ADDRESS.test(listeningOn)) return `the sandbox listens on ${listeningOn}, beyond this machine`
  if (!isLoopbackUrl(baseUrl)) return `the base URL ${baseUrl} names a host beyond this machine`
  return undefined
}

/**
 * Why a call that came to a loopback address may come from another machine; `undefined` when it does not.
 *
 * Decision: the presence of a forwarding header means that a proxy passed the call on; its value does not matter. Only a
 * trusted proxy can name the caller, and only by X-Forwarded-For: with any other header the caller stays unknown.
 */
export function reasonForCall(request: Incoming): string | undefined {
  const forwarding = request.headerNames.filter((name) => FORWARDING_HEADER.test(name))
  if (!request.isByTrustedProxy) {
    const [name] = forwarding
    return name && `the call came with ${shown(name, request)}, through a proxy that is not trusted (--trust-proxy)`
  }
  const { caller } = request
  if (caller !== undefined && !LOOPBACK_ADDRESS.test(caller)) {
    return `the call came through a trusted proxy from ${JSON.stringify(caller.slice(0, MAX_SHOWN))}`
  }
  if (request.header('x-forwarded-for')) return undefined
  const unread = forwarding.find((name) => CALLER_HEADER.test(name))
  return unread && `a trusted proxy sent ${shown(unread, request)} and no X-Forwarded-For, which alone is read`
}

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.|^::1$/i

/** The standard headers (RFC 7239; RFC 9110 section 7.6.3), the family that most proxies send, and those that name the caller. */
const FORWARDING_HEADER = /^(?:via|x-forwarded-.+|forwarded|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/i
const CALLER_HEADER = /^(?:forwarded|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/i

/** Characters of a header that a message repeats. */
const MAX_SHOWN = 80

const shown = (name: string, request: Incoming) =>
  `${name}: ${JSON.stringify((request.header(name) ?? '').slice(0, MAX_SHOWN))}`
