import { randomInt } from 'node:crypto'
import type { Agent, Browser, ForcedDecision, Hop, Page, PageRequest, Party, Visit, VisitOptions } from './browser.ts'
import { chooseWay, nameOf, notBegun, type Way } from './choose-way.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { createExchange, type Exchange, type ExchangeOptions, type HttpAnswer, isFailure } from './exchange.ts'
import {
  firstNavigation,
  headersOf,
  leaving,
  type Navigation,
  type Onward,
  passingOn,
  redirected,
  webAddress,
} from './navigation.ts'
import { onwardByItself, waysOf } from './onward.ts'
import { createParties, endpointOf, type Parties } from './parties.ts'
import { explanationOf, isHtml } from './read-page.ts'

/** How often a visit goes on, by redirects or by pages that lead on. */
export const MAX_REDIRECTS = 20

export interface HttpAgentOptions extends ExchangeOptions {
  /** Also requests apps at addresses that are neither on this machine nor in a private network. */
  readonly anyAddress?: boolean | undefined
}

/** What a page shows once it has come to rest, and where it leads. */
export interface Look {
  readonly page: Page
  /** Where it goes by itself. */
  readonly onward?: Onward | undefined
  readonly ways: readonly (Way & { press(): Promise<Look> })[]
  /** Names of the cookies that its scripts set. */
  readonly cookies?: readonly string[]
  /** The visit ends here. */
  readonly ending?: Pick<Visit, 'end' | 'problem'> | undefined
}

/** Shows the pages of an app in a browser with scripts. */
export interface Screen {
  /** @param at.answered the visit has brought an answer of the sandbox, and `isCallback` with this very page */
  show(page: Page, at: { headers: HttpAnswer['headers']; answered: boolean; isCallback: boolean }): Promise<Look>
}

/** A browser whose cookies are of the app alone, and which may show the pages of a visit on a screen. */
export interface HttpBrowser extends Browser {
  readonly cookies: Cookies
  readonly parties: Parties
  open(request: PageRequest, options: VisitOptions & { readonly screen?: Screen }): Promise<Visit>
}

export interface HttpAgent extends Agent {
  newBrowser(options?: { readonly ownAddress?: boolean }): HttpBrowser
}

/** A browser on plain HTTP: it follows redirects, forms and cookies as Chrome does, and runs no scripts unless it has a screen. */
export function createHttpAgent({ anyAddress, ...options }: HttpAgentOptions = {}): HttpAgent {
  const exchange = createExchange(options)
  return {
    name: 'http',
    notes: () => [],
    close: async () => {},
    newBrowser({ ownAddress = false } = {}) {
      // The service has another host in production: neither side sees the cookies of the other, even on one machine.
      const cookies = { app: createCookies(), sandbox: createCookies() }
      const parties = createParties({ anyAddress })
      // On Linux each address of this network is one of this machine.
      const isSpread = ownAddress && process.platform === 'linux'
      const from = isSpread ? `127.${[254, 254, 254].map((n) => randomInt(1, n)).join('.')}` : undefined
      const state: BrowserState = { exchange, parties, cookies, from }
      return {
        cookies: cookies.app,
        parties,
        open: (request, options) => visit(request, { ...state, ...options }),
        peek: (url, options) => visit({ url }, { ...state, ...options, decide: async () => 'stop', peeks: true }),
        forget: (names) => cookies.app.forget(names),
      }
    },
  }
}

interface BrowserState {
  readonly exchange: Exchange
  readonly parties: Parties
  readonly cookies: Readonly<Record<Exclude<Party, 'elsewhere'>, Cookies>>
  readonly from: string | undefined
}

interface Context extends BrowserState, VisitOptions {
  readonly screen?: Screen
  /** Leaves no page but by redirects. */
  readonly peeks?: boolean
}

/** What a visit has met so far. */
interface Progress {
  readonly hops: (Hop & { cookies: readonly string[] })[]
  readonly pressed: string[]
  answer?: PageRequest
}

/** What one request leads to: another one, or the end of the visit. */
type Step = { readonly page?: Page } & ({ readonly navigation: Navigation } | Pick<Visit, 'end' | 'url' | 'problem'>)

async function visit(request: PageRequest, context: Context): Promise<Visit> {
  const progress: Progress = { hops: [], pressed: [], ...(request.isAnswer && { answer: request }) }
  const { hops } = progress
  if (!webAddress(request.url)) {
    return { end: 'unreachable', hops, url: request.url, problem: `${request.url} is no http or https address` }
  }
  let navigation = firstNavigation(request)
  let page: Page | undefined
  context.parties.addApp(navigation.url)
  for (;;) {
    const step: Step =
      hops.length > MAX_REDIRECTS
        ? { end: 'too_many_redirects', problem: `it goes on after ${MAX_REDIRECTS} redirects` }
        : await take(navigation, progress, context)
    page = step.page ?? page
    if ('end' in step) {
      const url = step.end === 'page' ? undefined : navigation.url.href
      return { url, ...step, hops, page, ...(progress.answer && { answer: progress.answer }) }
    }
    navigation = step.navigation
  }
}

/** Makes one request and adds its hop. */
async function take(navigation: Navigation, progress: Progress, context: Context): Promise<Step> {
  const { parties, sandboxUrl, screen } = context
  const { method, url, body, isCallback, isRead } = navigation
  // Decision: a script may lead to another origin of this machine, such as that of an API, but not to another service.
  if (screen && parties.partyOf(url, sandboxUrl) === 'elsewhere' && !url.searchParams.has('response_type')) {
    parties.addApp(url)
  }
  const party = parties.partyOf(url, sandboxUrl)
  if (party === 'elsewhere') {
    const problem = `${url.origin} is neither on this machine nor in a private network`
    return parties.mayBeApp(url) ? { end: party } : { end: party, problem }
  }
  const isSandbox = party === 'sandbox'
  if (isSandbox && context.peeks) return { end: 'stopped' }
  const endpoint = endpointOf(url, sandboxUrl)
  const decision = endpoint && (await decide(endpoint, url, context))
  if (decision === 'stop') return { end: 'stopped' }
  if (decision === 'timed_out') return { end: decision, problem: 'the time was up before the sandbox was asked' }

  const cookies = context.cookies[party]
  const headers = { ...headersOf(navigation, { party, cookies }), ...(isSandbox && marked(decision)) }
  const from = isSandbox ? undefined : context.from
  const result = await context.exchange({ method, url, headers, body: body?.text, from }, context.signal)
  const answer = isFailure(result) ? result.answer : result
  const status = answer?.status ?? 0
  const flow = isSandbox ? answer?.headers['x-agekey-sandbox-flow'] : undefined
  const set = answer ? cookies.keep(answer.setCookie, url) : []
  progress.hops.push({ party, method, url: url.href, status, flow, endpoint, isCallback, cookies: set })
  // A browser follows a redirect before its body is there.
  const to = answer && redirected(navigation, answer)
  if (typeof to === 'string') {
    const problem = `${url.origin} redirects to ${JSON.stringify(to)}, which is no http or https address`
    return { end: 'elsewhere', url: to, problem }
  }
  if (to) return isSandbox ? fromSandbox(to, progress, context) : { navigation: to }
  if (!answer) return isFailure(result) ? result : { end: 'dropped' }
  const mediaType = (answer.headers['content-type'] ?? '').split(';', 1).join('').trim().toLowerCase()
  const page: Page = { url: url.href, status, mediaType, text: answer.text }
  if (isFailure(result)) return { end: result.end, problem: result.problem, page }
  if (context.peeks) return { end: 'page', page }
  if (isSandbox) return leaveSandbox(page, progress, context)
  if (screen && isHtml(page) && status !== 204 && status !== 205) {
    const at = { headers: answer.headers, answered: progress.answer !== undefined, isCallback }
    return leavePage(await screen.show(page, at), progress, context)
  }
  if (context.fragment && !screen && isRead && method === 'GET' && status < 400 && isHtml(page)) {
    return { page, navigation: passingOn(page, context.fragment) }
  }
  return leavePage(lookAt(page, context), progress, context)
}

/** The decision for an authorization request, unless the time is up before. */
function decide(
  endpoint: 'E1' | 'E3',
  { href: url, searchParams }: URL,
  { signal, decide }: Context,
): Promise<ForcedDecision | 'stop' | 'timed_out'> {
  return new Promise((resolve, reject) => {
    const abort = () => resolve('timed_out')
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    decide({ endpoint, url, parameters: Object.fromEntries(searchParams) })
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })
}

/** What says to the sandbox that an audit asks, and how its flow ends. */
const marked = ({ persona, outcome }: ForcedDecision = {}): Readonly<Record<string, string>> => ({
  'X-Sandbox-Audit': '1',
  ...(persona !== undefined && { 'X-Sandbox-Persona': persona }),
  ...(outcome !== undefined && { 'X-Sandbox-Outcome': outcome }),
})

/**
 * Where the sandbox sends the browser: to a page of its own, or with an answer to the app, which its target belongs to. A user has been
 * on the page of the service meanwhile, so what follows comes from there.
 */
function fromSandbox(to: Navigation, progress: Progress, { parties, sandboxUrl, holds }: Context): Step {
  const { url, method, body } = to
  if (parties.partyOf(url, sandboxUrl) === 'sandbox') return { navigation: { ...to, initiator: 'sandbox' } }
  const endpoint = progress.hops.findLast((hop) => hop.endpoint)?.endpoint
  const form = { method, form: Object.fromEntries(new URLSearchParams(body?.text)), isCrossSite: true }
  progress.answer = { url: url.href, isAnswer: true, ...(method === 'POST' && form) }
  if (endpoint !== undefined && endpoint === holds) return { end: 'held', url: url.href }
  parties.addApp(url)
  return { navigation: { ...to, initiator: 'sandbox', isCallback: true, isRead: endpoint === 'E1' } }
}

/** A page of the sandbox posts an answer to the app, or leads no further. */
function leaveSandbox(page: Page, progress: Progress, context: Context): Step {
  const form = waysOf(page)
    .map(({ onward }) => onward)
    .find(({ method, url }) => method === 'POST' && context.parties.partyOf(url, context.sandboxUrl) !== 'sandbox')
  return form && page.status < 400
    ? { page, ...fromSandbox(leaving(page, form, 'sandbox'), progress, context) }
    : { page, end: 'sandbox_page', problem: explanationOf(page) }
}

/** What a user sees of a page without scripts. */
function lookAt(page: Page, { begin }: Context): Look {
  const ways = waysOf(page, begin && 'click' in begin ? begin.click : undefined)
  const press = (onward: Onward) => async () => ({ page, onward, ways: [] })
  return { page, onward: onwardByItself(page), ways: ways.map((way) => ({ ...way, press: press(way.onward) })) }
}

/** Where a page leads: on by itself, on by its user, or nowhere. */
async function leavePage(first: Look, { hops, pressed, answer }: Progress, context: Context): Promise<Step> {
  const { sandboxUrl, begin, looksOnly = false } = context
  const asked = hops.flatMap(({ endpoint = [] }) => endpoint)
  const isBeginning = asked.length === 0 && !answer && !looksOnly
  const hop = hops.at(-1)
  for (let look = first; ; ) {
    const { page, onward, ways, cookies = [], ending } = look
    if (hop) hop.cookies = [...new Set([...hop.cookies, ...cookies])]
    if (ending) return { page, ...ending }
    if (onward) return { page, navigation: leaving(page, onward, 'app') }
    if (isBeginning && begin && 'request' in begin && pressed.length === 0) {
      pressed.push('the request of begin')
      const request = firstNavigation({ ...begin.request, url: new URL(begin.request.url, page.url).href })
      return { page, navigation: { ...request, initiator: 'app' } }
    }
    const way = chooseWay(ways, { sandboxUrl, begin, looksOnly, asked, answer, pressed })
    if (!way) return { page, end: 'page', problem: isBeginning ? notBegun(ways, pressed, begin) : undefined }
    pressed.push(nameOf(way.text, way.url))
    look = await way.press()
  }
}
