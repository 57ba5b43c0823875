import type { FragmentPost, Page, PageRequest, Party } from './browser.ts'
import type { Cookies, SameSiteContext } from './cookies.ts'
import type { HttpAnswer } from './exchange.ts'
import type { Onward } from './onward.ts'

/** One request of a browser, and which page made it. */
export interface Navigation {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  readonly body?: { readonly type: string; readonly text: string } | undefined
  /** Whose page began it; redirects on the way keep it, as Chrome does. The user begins at an address or at a page of the app. */
  readonly initiator: Party | 'user'
  /** The value of `Origin`; that of the address itself when absent. */
  readonly origin?: string | undefined
  readonly isCallback: boolean
  /** It brings an answer to Use, if need be by redirects: a page that it ends at reads the fragment. */
  readonly isRead?: boolean
}

const FORM = 'application/x-www-form-urlencoded'

/** @throws TypeError for a URL that is malformed */
export function firstNavigation({
  url,
  method,
  form,
  json,
  isCrossSite = false,
  isAnswer = false,
}: PageRequest): Navigation {
  const body =
    json === undefined
      ? form && { type: FORM, text: new URLSearchParams({ ...form }).toString() }
      : { type: 'application/json', text: JSON.stringify(json) }
  const address = new URL(url)
  const isInQuery = method === 'GET' && form !== undefined
  if (isInQuery) address.search = new URLSearchParams({ ...form }).toString()
  return {
    method: method ?? (body ? 'POST' : 'GET'),
    url: address,
    body: isInQuery ? undefined : body,
    initiator: isAnswer ? 'sandbox' : isCrossSite ? 'elsewhere' : 'user',
    origin: isCrossSite || isAnswer ? 'null' : undefined,
    isCallback: isAnswer,
    isRead: isAnswer && (address.hash !== '' || address.search === ''),
  }
}

/** The request that a redirect makes of another one; a text that is no address of the web as it came. */
export function redirected(navigation: Navigation, { status, header }: HttpAnswer): Navigation | string | undefined {
  const location = REDIRECTS.includes(status) ? header('location') : undefined
  if (location === undefined) return undefined
  // Node reads headers as Latin-1, and browsers as UTF-8.
  const target = Buffer.from(location, 'latin1').toString()
  if (!URL.canParse(target, navigation.url.href)) return target
  const url = new URL(target, navigation.url)
  if (!isWebAddress(url)) return target
  // A fragment stays with the browser until an address has another one.
  if (url.hash === '') url.hash = navigation.url.hash
  const keepsMethod = status === 307 || status === 308
  return { ...navigation, url, isCallback: false, ...(keepsMethod ? {} : { method: 'GET', body: undefined }) }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

export const isWebAddress = ({ protocol }: URL) => protocol === 'http:' || protocol === 'https:'

/** The request by which a browser leaves a page. */
export function leaving(
  { url: from }: Page,
  { method, url, body }: Onward,
  { initiator, referrerPolicy }: { initiator: Party; referrerPolicy?: string | undefined },
): Navigation {
  const { origin } = new URL(from)
  // Fetch standard: under these policies the origin of a page stays hidden from other origins.
  const isHidden = origin !== url.origin && /^(?:no-referrer|same-origin)$/.test(referrerPolicy ?? '')
  return {
    method,
    url,
    body: body === undefined ? undefined : { type: FORM, text: body },
    initiator,
    origin: isHidden ? 'null' : origin,
    isCallback: false,
  }
}

/** The request by which the script of a callback page passes the fragment on: without parameters when there are none. */
export function passingOn({ url: from }: Page, { post, as }: FragmentPost): Navigation {
  const { hash, origin } = new URL(from)
  const parameters = new URLSearchParams(hash.slice(1))
  const body =
    as === 'form'
      ? { type: FORM, text: parameters.toString() }
      : { type: 'application/json', text: JSON.stringify(Object.fromEntries(parameters)) }
  return { method: 'POST', url: new URL(post, from), body, initiator: 'app', origin, isCallback: false }
}

/** The headers that a browser sends with it to a party. */
export function headersOf(
  { method, url, body, initiator, origin }: Navigation,
  { party, cookies }: { party: Party; cookies: Cookies },
): Readonly<Record<string, string>> {
  const isCrossSite = initiator !== party && !(initiator === 'user' && party === 'app')
  const crossSite: SameSiteContext = method === 'GET' ? 'lax' : 'none'
  const cookie = cookies.headerFor(url, isCrossSite ? crossSite : 'strict')
  return {
    'User-Agent': 'Mozilla/5.0 (compatible; agekey-sandbox audit)',
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': 'en',
    'Accept-Encoding': 'identity',
    'Upgrade-Insecure-Requests': '1',
    'Sec-Fetch-Site': isCrossSite ? 'cross-site' : initiator === 'user' ? 'none' : 'same-origin',
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
    ...(method === 'POST' ? { Origin: origin ?? url.origin } : {}),
    ...(body ? { 'Content-Type': body.type } : {}),
    ...(cookie === undefined ? {} : { Cookie: cookie }),
  }
}
