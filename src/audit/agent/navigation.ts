import type { FragmentPost, Page, PageRequest, Party } from './browser.ts'
import type { Cookies } from './cookies.ts'
import type { HttpAnswer } from './exchange.ts'

/** Where a page leads. */
export interface Onward {
  readonly method: 'GET' | 'POST'
  /** With the fields of a form, when the method is GET. */
  readonly url: URL
  readonly body?: { readonly type: string; readonly text: string } | undefined
}

/** One request of a browser, and which page made it. */
export interface Navigation extends Onward {
  /** Whose page began it; redirects on the way keep it, as Chrome does. The user begins at an address or at a page of the app. */
  readonly initiator: Party | 'user'
  /** Of the page that began it; that of the address itself when absent. */
  readonly origin?: string
  readonly isCallback: boolean
  /** It brings an answer to Use, if need be by redirects: a page that it ends at reads the fragment. */
  readonly isRead?: boolean
}

export const formBody = (fields: ConstructorParameters<typeof URLSearchParams>[0]) => ({
  type: 'application/x-www-form-urlencoded',
  text: new URLSearchParams(fields).toString(),
})
const jsonBody = (value: unknown) => ({ type: 'application/json', text: JSON.stringify(value) })

/** @throws TypeError for a URL that is malformed */
export function firstNavigation(request: PageRequest): Navigation {
  const { form, json, isCrossSite = false, isAnswer = false } = request
  const body = json === undefined ? form && formBody({ ...form }) : jsonBody(json)
  const { method = body ? 'POST' : 'GET' } = request
  const url = new URL(request.url)
  if (method === 'GET' && body) url.search = body.text
  return {
    method,
    url,
    body: method === 'GET' ? undefined : body,
    initiator: isAnswer ? 'sandbox' : isCrossSite ? 'elsewhere' : 'user',
    isCallback: isAnswer,
    isRead: isAnswer && (url.hash !== '' || url.search === ''),
  }
}

/** The request that a redirect makes of another one; a text that is no address of the web as it came. */
export function redirected(navigation: Navigation, { status, headers }: HttpAnswer): Navigation | string | undefined {
  const { location } = headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  // Node reads headers as Latin-1, and browsers as UTF-8.
  const target = Buffer.from(location, 'latin1').toString()
  const url = webAddress(target, navigation.url)
  if (!url) return target
  // A fragment stays with the browser until an address has another one.
  if (url.hash === '') url.hash = navigation.url.hash
  return { ...navigation, url, isCallback: false, ...(status < 307 && { method: 'GET', body: undefined }) }
}

/** `undefined` for what is no http or https address. */
export function webAddress(text: string | undefined, base?: string | URL): URL | undefined {
  if (text === undefined || !URL.canParse(text, base?.toString())) return undefined
  const url = new URL(text, base)
  return /^https?:$/.test(url.protocol) ? url : undefined
}

/** The request by which a browser leaves a page. */
export const leaving = ({ url }: Page, onward: Onward, initiator: Party): Navigation => {
  return { ...onward, initiator, origin: new URL(url).origin, isCallback: false }
}

/** The request by which the script of a callback page passes the fragment on: without parameters when there are none. */
export function passingOn(page: Page, { post, as }: FragmentPost): Navigation {
  const parameters = new URLSearchParams(new URL(page.url).hash.slice(1))
  const body = as === 'form' ? formBody(parameters) : jsonBody(Object.fromEntries(parameters))
  return leaving(page, { method: 'POST', url: new URL(post, page.url), body }, 'app')
}

/** The headers that a browser sends with it to a party. */
export function headersOf(
  { method, url, body, initiator, origin }: Navigation,
  { party, cookies }: { party: Party; cookies: Cookies },
): Readonly<Record<string, string>> {
  const isCrossSite = initiator !== party && !(initiator === 'user' && party === 'app')
  const cookie = cookies.headerFor(url, !isCrossSite ? 'strict' : method === 'GET' ? 'lax' : 'none')
  return {
    'User-Agent': USER_AGENT,
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': 'en',
    'Accept-Encoding': 'identity',
    'Upgrade-Insecure-Requests': '1',
    'Sec-Fetch-Site': isCrossSite ? 'cross-site' : initiator === 'user' ? 'none' : 'same-origin',
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
    // The pages of the sandbox hide their origin.
    ...(method === 'POST' && { Origin: /^(?:user|app)$/.test(initiator) ? (origin ?? url.origin) : 'null' }),
    ...(body && { 'Content-Type': body.type }),
    ...(cookie !== undefined && { Cookie: cookie }),
  }
}

/** Of every request of an audit, with scripts or without. */
export const USER_AGENT =
  'Mozilla/5.0 (compatible; agekey-sandbox audit) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
