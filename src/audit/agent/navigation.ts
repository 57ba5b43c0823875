import type { HttpAnswer } from '../../server/client/exchange.ts'
import type { BrowserVisit, ForcedDecision } from './browser.ts'
import type { Cookies } from './cookies.ts'
import { type Onward, USER_AGENT, webAddress } from './onward.ts'

/** A request that the window of a browser makes. */
export interface Navigation extends Onward {
  /**
   * The party whose page made the request, or `user` for the first request. As in Chrome, a
   * redirect does not change the initiator.
   */
  readonly initiator: 'user' | 'app' | 'sandbox'
  /** Whether the request carries an answer of the sandbox to the app. */
  readonly isCallback?: boolean
  /**
   * Whether the request carries an answer to Use, also after redirects of the app. The page of such
   * a request may have the answer in its fragment.
   */
  readonly isRead?: boolean
}

/** How a visit ends. */
export type End = Pick<BrowserVisit, 'end' | 'url' | 'problem'>

/**
 * The request headers of a browser. A request to the sandbox also has headers that mark the request
 * as part of an audit and force a decision.
 * @param options.pageUrl the URL of the page that makes the request; absent for the first request
 * @param options.cookies the cookies for this party
 */
export function navigationHeaders(
  navigation: Navigation,
  {
    party,
    pageUrl = navigation.url,
    cookies,
    decision,
  }: {
    readonly party: 'app' | 'sandbox'
    readonly pageUrl: string | URL | undefined
    readonly cookies: Cookies
    readonly decision: ForcedDecision | undefined
  },
) {
  const { method, url, body, initiator } = navigation
  const site = fetchSiteOf(initiator, party)
  // The pages of the sandbox have an opaque origin.
  const origin = initiator === 'sandbox' ? 'null' : new URL(pageUrl).origin
  return {
    'User-Agent': USER_AGENT,
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': 'en',
    'Accept-Encoding': 'identity',
    'Upgrade-Insecure-Requests': '1',
    'Sec-Fetch-Site': site,
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
    Origin: method === 'POST' ? origin : undefined,
    'Content-Type': body?.type,
    Cookie: cookies.headerFor(url, sameSiteContextOf(site, method)),
    'X-Sandbox-Audit': party === 'sandbox' ? '1' : undefined,
    'X-Sandbox-Persona': decision?.persona,
    'X-Sandbox-Outcome': decision?.outcome,
  }
}

function fetchSiteOf(initiator: Navigation['initiator'], party: 'app' | 'sandbox') {
  if (initiator === 'user' && party === 'app') return 'none'
  return initiator === party ? 'same-origin' : 'cross-site'
}

function sameSiteContextOf(site: ReturnType<typeof fetchSiteOf>, method: Navigation['method']) {
  if (site !== 'cross-site') return 'strict'
  return method === 'GET' ? 'lax' : 'none'
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * The navigation that follows a redirect; the end of the visit if the target is not an http or
 * https URL; `undefined` if the response is not a redirect.
 */
export function redirectOf(
  navigation: Navigation,
  { status, headers: { location } }: HttpAnswer,
): Navigation | End | undefined {
  if (location === undefined || !REDIRECTS.includes(status)) return undefined
  // Node decodes headers as Latin-1, browsers decode them as UTF-8.
  const target = Buffer.from(location, 'latin1').toString()
  const url = webAddress(target, navigation.url)
  if (!url) {
    const problem = `${navigation.url.origin} redirects to ${JSON.stringify(target)}, which is no http or https address`
    return { end: 'elsewhere', url: target, problem }
  }
  // A redirect target without a fragment inherits the fragment (RFC 9110 section 10.2.2).
  if (url.hash === '') url.hash = navigation.url.hash
  const redirected = { ...navigation, url, isCallback: false }
  return status < 307 ? { ...redirected, method: 'GET', body: undefined } : redirected
}
