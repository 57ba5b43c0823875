import { randomInt } from 'node:crypto'
import { aborted } from 'node:util'
import type { Cookie as PlaywrightCookie } from 'playwright-core'
import { Cookie, CookieJar } from 'tough-cookie'
import {
  createExchange,
  type ExchangeOptions,
  type HttpAnswer,
} from '../../server/client/exchange.ts'
import type {
  BrowserVisit,
  ForcedDecision,
  Hop,
  PageRequest,
  ShownPage,
  VisitOptions,
} from './browser.ts'
import { chooseWay, notBegun, type Way, wayName } from './choose-way.ts'
import {
  type Onward,
  onwardByItself,
  onwardTo,
  passedOn,
  USER_AGENT,
  waysOf,
  webAddress,
} from './onward.ts'
import { calledEndpoint, createParties } from './parties.ts'
import { explanationOf, isHtml } from './read-page.ts'

/** Steps of a visit, by redirects or by pages that lead on, at most. */
export const MAX_REDIRECTS = 20

export interface HttpAgentOptions extends ExchangeOptions {
  /** Also requests apps at public addresses, beyond this machine and private networks. */
  readonly anyAddress?: boolean | undefined
}

/** What a page says at rest, and where it leads. */
export interface Look {
  readonly page: ShownPage
  readonly onward?: Onward | undefined
  /** Elements that the user can press: the request of each, or what the page shows then. */
  readonly ways: readonly (Way & ({ readonly onward: Onward } | { press(): Promise<Look> }))[]
  /** Names of the cookies that its scripts set. */
  readonly cookies?: readonly string[]
  readonly ending?: Pick<BrowserVisit, 'end' | 'problem'> | undefined
}

/** A page in a browser with scripts, and its visit. */
export interface Showing extends Context {
  readonly page: ShownPage
  readonly headers: HttpAnswer['headers']
  /**
   * Whether the visit has brought an answer of the sandbox; `isCallback` if this very page brought
   * it.
   */
  readonly answered: boolean
  readonly isCallback: boolean
}

/**
 * A browser on plain HTTP: it follows redirects, forms and cookies as Chrome does. It runs no
 * scripts, unless another agent shows its pages.
 */
export function createHttpAgent({ anyAddress, ...options }: HttpAgentOptions = {}) {
  const exchange = createExchange(options)
  return {
    name: 'http' as const,
    notes: (): readonly string[] => [],
    close: async (): Promise<void> => {},
    newBrowser({ ownAddress = false }: { readonly ownAddress?: boolean } = {}) {
      // In production the service has another host: neither side sees the cookies of the other,
      // even on one machine.
      const cookies = { app: createCookies(), sandbox: createCookies() }
      const parties = createParties({ anyAddress })
      // On Linux every address of this network is one of this machine.
      const isSpread = ownAddress && process.platform === 'linux'
      const from = isSpread
        ? `127.${[254, 254, 254].map((n) => randomInt(1, n)).join('.')}`
        : undefined
      const state = { exchange, parties, cookies, from }
      return {
        async open(
          request: PageRequest,
          options: VisitOptions & Pick<Context, 'show'>,
        ): Promise<BrowserVisit> {
          const before = cookies.app.all()
          const shown = await visit(request, { ...state, ...options })
          // The app has begun a flow that nobody wants: cookies of that flow would fill or replace
          // those of the current one.
          if (options.peeks && shown.end === 'stopped') cookies.app.replace(before)
          return shown
        },
        forget: cookies.app.forget,
      }
    },
  }
}

interface Context extends VisitOptions {
  readonly exchange: ReturnType<typeof createExchange>
  readonly parties: ReturnType<typeof createParties>
  readonly cookies: Readonly<Record<'app' | 'sandbox', Cookies>>
  readonly from: string | undefined
  readonly show?: (showing: Showing) => Promise<Look>
}

type End = Pick<BrowserVisit, 'end' | 'url' | 'problem'>

interface Navigation extends Onward {
  /**
   * The party whose page made the request. Redirects keep it, as in Chrome. A user begins at a URL
   * or at a page of the app.
   */
  readonly initiator: 'user' | 'app' | 'sandbox'
  readonly isCallback?: boolean
  /**
   * Whether the request brings an answer to Use, also by redirects: a page at its end reads the
   * fragment.
   */
  readonly isRead?: boolean
}

async function visit(request: PageRequest, context: Context): Promise<BrowserVisit> {
  const { parties, sandboxUrl, show, signal, begin, fragment, decide, peeks = false } = context
  const hops: (Hop & { cookies: readonly string[] })[] = []
  const pressed: string[] = []
  /**
   * Elements that could be pressed before the answer, as in a menu: pressing them afterwards would
   * tell nothing about the answer.
   */
  const known = new Set<string>()
  let answer = request.isAnswer ? request : undefined
  let page: ShownPage | undefined
  const isOfSandbox = (url: URL) => parties.partyOf(url, sandboxUrl) === 'sandbox'

  /** Makes one request and adds its hop. Returns the next request, or how the visit ends. */
  async function take(navigation: Navigation): Promise<Navigation | End> {
    const { method, url, body, isCallback = false, isRead } = navigation
    // Decision: a script may lead to another origin of this machine, such as that of an API, but
    // not to another service.
    if (show && !isOfSandbox(url) && !url.searchParams.has('response_type')) parties.addApp(url)
    const party = parties.partyOf(url, sandboxUrl)
    if (party === 'elsewhere') {
      const problem = `${url.origin} is neither on this machine nor in a private network`
      return { end: party, problem: parties.mayBeApp(url) ? undefined : problem }
    }
    const isSandbox = party === 'sandbox'
    const endpoint = calledEndpoint(url, sandboxUrl)
    const decision =
      peeks && isSandbox ? 'stop' : endpoint && (await decided(endpoint, url, context))
    if (decision === 'stop') return { end: 'stopped' }
    if (decision === 'timed_out')
      return { end: decision, problem: 'the time was up before the sandbox was asked' }
    const headers = headersOf(navigation, party, decision)
    const from = isSandbox ? undefined : context.from
    const came = await context.exchange({ method, url, headers, body: body?.text, from }, signal)
    const { status, text, failure } = came
    const flow = isSandbox ? came.headers['x-agekey-sandbox-flow'] : undefined
    const set = context.cookies[party].keep(came.setCookie, url)
    hops.push({ party, method, url: url.href, status, flow, endpoint, isCallback, cookies: set })
    // A browser follows a redirect before its body has arrived.
    const to = redirected(navigation, came)
    if (to) return isSandbox && !('end' in to) ? fromSandbox(to) : to
    const mediaType = (came.headers['content-type'] ?? '')
      .split(';', 1)
      .join('')
      .trim()
      .toLowerCase()
    const shown: ShownPage = { url: url.href, status, mediaType, text }
    if (status > 0) page = shown
    if (failure) return { end: failure.end, problem: failure.problem }
    if (peeks) return { end: 'page' }
    if (isSandbox) {
      const form = waysOf(shown).find(
        ({ onward }) => onward.method === 'POST' && !isOfSandbox(onward.url),
      )?.onward
      if (form && status < 400) return fromSandbox(form)
      return { end: 'sandbox_page', problem: explanationOf(shown) }
    }
    if (show && isHtml(shown) && status !== 204 && status !== 205) {
      const how = { headers: came.headers, answered: answer !== undefined, isCallback }
      return leavePage(await show({ ...context, ...how, page: shown }))
    }
    const isPassedOn = !show && isRead && method === 'GET' && status < 400 && isHtml(shown)
    const onward = fragment && isPassedOn ? passedOn(shown, fragment) : onwardByItself(shown)
    return leavePage({
      page: shown,
      onward,
      ways: waysOf(shown, begin && 'click' in begin ? begin.click : undefined),
    })
  }

  /**
   * The headers of a browser for a party. Those for the sandbox say that an audit sends the
   * request, and how its flow ends.
   */
  function headersOf(
    { method, url, body, initiator }: Navigation,
    party: 'app' | 'sandbox',
    decision?: ForcedDecision,
  ) {
    const isCrossSite = initiator !== party && !(initiator === 'user' && party === 'app')
    // The pages of the sandbox hide their origin.
    const origin = initiator === 'sandbox' ? 'null' : new URL(page?.url ?? url).origin
    return {
      'User-Agent': USER_AGENT,
      Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
      'Accept-Language': 'en',
      'Accept-Encoding': 'identity',
      'Upgrade-Insecure-Requests': '1',
      'Sec-Fetch-Site': isCrossSite ? 'cross-site' : initiator === 'user' ? 'none' : 'same-origin',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
      Origin: method === 'POST' ? origin : undefined,
      'Content-Type': body?.type,
      Cookie: context.cookies[party].headerFor(
        url,
        !isCrossSite ? 'strict' : method === 'GET' ? 'lax' : 'none',
      ),
      'X-Sandbox-Audit': party === 'sandbox' ? '1' : undefined,
      'X-Sandbox-Persona': decision?.persona,
      'X-Sandbox-Outcome': decision?.outcome,
    }
  }

  /**
   * Where the sandbox sends the browser: to a page of its own, or with an answer to the app. The
   * next request is cross-site.
   */
  function fromSandbox(to: Onward): Navigation | End {
    const { url, method, body } = to
    if (isOfSandbox(url)) return { ...to, initiator: 'sandbox' }
    const endpoint = hops.findLast((hop) => hop.endpoint)?.endpoint
    const form = { method, form: Object.fromEntries(new URLSearchParams(body?.text)) }
    answer = { url: url.href, isAnswer: true, ...(method === 'POST' && form) }
    if (endpoint !== undefined && endpoint === context.holds) return { end: 'held', url: url.href }
    parties.addApp(url)
    return { ...to, initiator: 'sandbox', isCallback: true, isRead: endpoint === 'E1' }
  }

  /** Where a page leads: on by itself, on by its user, or nowhere. */
  async function leavePage(look: Look): Promise<Navigation | End> {
    page = look.page
    const hop = hops.at(-1)
    if (hop) hop.cookies = [...new Set([...hop.cookies, ...(look.cookies ?? [])])]
    if (look.ending) return look.ending
    if (look.onward) return { ...look.onward, initiator: 'app' }
    const asked = hops.flatMap(({ endpoint = [] }) => endpoint)
    const isBeginning = decide && asked.length === 0 && !answer
    if (isBeginning && begin && 'request' in begin && pressed.length === 0) {
      pressed.push('the request of begin')
      const url = new URL(begin.request.url, look.page.url).href
      return { ...onwardTo({ ...begin.request, url }), initiator: 'app' }
    }
    if (!answer) for (const way of look.ways) known.add(wayName(way))
    const ways = answer ? look.ways.filter((way) => !known.has(wayName(way))) : look.ways
    const way = chooseWay(ways, { sandboxUrl, begin, decide, asked, answer, pressed })
    if (!way)
      return { end: 'page', problem: isBeginning ? notBegun(look.ways, pressed, begin) : undefined }
    pressed.push(wayName(way))
    return 'press' in way ? leavePage(await way.press()) : { ...way.onward, initiator: 'app' }
  }

  if (!webAddress(request.url)) {
    return {
      end: 'unreachable',
      hops,
      url: request.url,
      problem: `${request.url} is no http or https address`,
    }
  }
  const first = onwardTo(request)
  const { hash, search } = first.url
  parties.addApp(first.url)
  let step: Navigation | End = answer
    ? { ...first, initiator: 'sandbox', isCallback: true, isRead: hash !== '' || search === '' }
    : { ...first, initiator: 'user' }
  for (;;) {
    const { url } = step
    const over: End = {
      end: 'too_many_redirects',
      problem: `it goes on after ${MAX_REDIRECTS} redirects`,
    }
    step = hops.length > MAX_REDIRECTS ? over : await take(step)
    if ('end' in step)
      return {
        url: step.end === 'page' ? undefined : url.href,
        ...step,
        hops,
        page,
        ...(answer && { answer }),
      }
  }
}

/** The decision for an authorization request, unless the time is over before. */
async function decided(
  endpoint: 'E1' | 'E3',
  { href: url, searchParams }: URL,
  { signal, decide }: VisitOptions,
) {
  if (signal.aborted) return 'timed_out'
  if (!decide) return 'stop'
  const late = aborted(signal, signal).then(() => 'timed_out' as const)
  return Promise.race([
    decide({ endpoint, url, parameters: Object.fromEntries(searchParams) }),
    late,
  ])
}

/** The request after a redirect, or the end of the visit when the target is no http address. */
function redirected(
  navigation: Navigation,
  { status, headers }: HttpAnswer,
): Navigation | End | undefined {
  const { location } = headers
  if (location === undefined || ![301, 302, 303, 307, 308].includes(status)) return undefined
  // Node reads headers as Latin-1, and browsers as UTF-8.
  const target = Buffer.from(location, 'latin1').toString()
  const url = webAddress(target, navigation.url)
  if (!url) {
    const problem = `${navigation.url.origin} redirects to ${JSON.stringify(target)}, which is no http or https address`
    return { end: 'elsewhere', url: target, problem }
  }
  // A browser keeps a fragment until another URL has its own.
  if (url.hash === '') url.hash = navigation.url.hash
  return {
    ...navigation,
    url,
    isCallback: false,
    ...(status < 307 && { method: 'GET', body: undefined }),
  }
}

/**
 * A cookie in the form of Chromium: `domain` with a leading dot includes subdomains, `expires` is
 * in seconds since 1970.
 */
type ChromiumCookie = Omit<PlaywrightCookie, 'expires' | 'sameSite' | 'partitionKey'> &
  Partial<Pick<PlaywrightCookie, 'expires' | 'sameSite'>>

export type Cookies = ReturnType<typeof createCookies>

/**
 * The cookies of a browser. They belong to a host, not to a port, and `Secure` cookies also travel
 * by http to this machine, as in browsers. Two differences: a cookie without SameSite counts as
 * None, because Chrome sends a fresh one with a cross-site POST too ("Lax+POST", for two minutes),
 * and a flow takes seconds. And SameSite=None without Secure, which Chrome refuses, is kept: apps
 * that leave Secure out only in development are judged as in production.
 */
export function createCookies() {
  const jar = new CookieJar(undefined, { rejectPublicSuffixes: false, looseMode: true })
  const all = (): readonly ChromiumCookie[] =>
    (jar.serializeSync()?.cookies ?? []).flatMap((one) => asChromium(Cookie.fromJSON(one)))

  /** Replaces all cookies. Returns the names of the new ones. */
  function replace(cookies: readonly ChromiumCookie[]): readonly string[] {
    const before = new Set(all().map(identityOf))
    jar.removeAllCookiesSync()
    for (const { name, domain, sameSite, expires = -1, ...cookie } of cookies) {
      const scope = {
        key: name,
        domain: domain.replace(/^\./, ''),
        hostOnly: !domain.startsWith('.'),
      }
      const end = expires < 0 ? {} : { expires: new Date(expires * 1000) }
      const site = sameSite?.toLowerCase()
      jar.store.putCookie(
        new Cookie({ ...cookie, ...scope, ...end, ...(site && { sameSite: site }) }),
        () => {},
      )
    }
    return cookies.filter((one) => !before.has(identityOf(one))).map(({ name }) => name)
  }
  return {
    all,
    replace,
    /**
     * The value of the header `Cookie`, by the origin of the request (RFC 6265bis section 5.2);
     * `undefined` without cookies.
     */
    headerFor: (url: URL, sameSiteContext: 'strict' | 'lax' | 'none') =>
      jar.getCookieStringSync(url.href, { sameSiteContext }) || undefined,
    /**
     * Sets and deletes cookies by the headers `Set-Cookie` of an answer.
     * @returns the names of the set cookies
     */
    keep: (setCookie: readonly string[], url: URL): readonly string[] =>
      setCookie.flatMap((header) => {
        const cookie = Cookie.parse(header, { loose: true })
        if (!cookie) return []
        // A navigation may set cookies of every kind, from any site.
        jar.setCookieSync(cookie, url.href, { ignoreError: true })
        return cookie.TTL() > 0 ? [cookie.key] : []
      }),
    forget: (names: readonly string[]): void =>
      void replace(all().filter(({ name }) => !names.includes(name))),
  }
}

const identityOf = ({ name, domain, path, value }: ChromiumCookie) =>
  JSON.stringify([name, domain, path, value])

function asChromium(cookie: Cookie | undefined): ChromiumCookie | [] {
  if (!cookie) return []
  const { key: name, value, domain, path, secure, httpOnly, hostOnly } = cookie
  const sites = ['Strict', 'Lax', ...(secure ? (['None'] as const) : [])] as const
  const sameSite = sites.find((site) => site.toLowerCase() === cookie.sameSite)
  const expires = (cookie.expiryTime() ?? Infinity) / 1000
  const attributes = {
    domain: `${hostOnly ? '' : '.'}${domain}`,
    path: path ?? '/',
    secure,
    httpOnly,
  }
  return {
    name,
    value,
    ...attributes,
    ...(expires < Infinity && { expires }),
    ...(sameSite && { sameSite }),
  }
}
