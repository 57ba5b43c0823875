import { randomInt } from 'node:crypto'
import type { Agent, Browser, ForcedDecision, Hop, Page, PageRequest, Party, Visit, VisitOptions } from './browser.ts'
import { chooseWay, nameOf, notBegun, type Search } from './choose-way.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { createExchange, type Exchange, type ExchangeOptions, type HttpAnswer, isFailure } from './exchange.ts'
import {
  firstNavigation,
  headersOf,
  isWebAddress,
  leaving,
  type Navigation,
  passingOn,
  redirected,
} from './navigation.ts'
import { isHtml, onwardByItself, waysOf } from './onward.ts'
import { createParties, endpointOf, type Parties } from './parties.ts'
import { explanationOf } from './read-page.ts'

/** How often a visit goes on, by redirects or by pages that lead on. */
export const MAX_REDIRECTS = 20

export interface HttpAgentOptions extends ExchangeOptions {
  /** Also requests apps at addresses that are neither on this machine nor in a private network. */
  readonly anyAddress?: boolean | undefined
}

export interface HttpAgent extends Agent {
  /** @param options.cookies those of the app that the browser has */
  newBrowser(options?: { readonly ownAddress?: boolean; readonly cookies?: Cookies }): Browser
}

/** A browser without scripts on plain HTTP: it follows redirects, forms and cookies as Chrome does. */
export function createHttpAgent({ anyAddress, ...options }: HttpAgentOptions = {}): HttpAgent {
  const exchange = createExchange(options)
  return {
    name: 'http',
    notes: () => [],
    close: async () => {},
    newBrowser({ ownAddress = false, cookies = createCookies() } = {}) {
      const state: BrowserState = {
        exchange,
        parties: createParties({ anyAddress }),
        // The service has another host in production: neither side sees the cookies of the other, even on one machine.
        cookies: { app: cookies, sandbox: createCookies() },
        // On Linux each address of this network is one of this machine.
        from:
          ownAddress && process.platform === 'linux'
            ? `127.${[254, 254, 254].map((n) => randomInt(1, n)).join('.')}`
            : undefined,
      }
      return {
        open: (request, options) => visit(request, { ...state, ...options }),
        peek: (url, options) => visit({ url }, { ...state, ...options, decide: async () => 'stop', peeks: true }),
        forget: (names) => cookies.forget(names),
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
  /** Leaves no page but by redirects. */
  readonly peeks?: boolean
}

/** What a visit has met so far. */
interface Progress {
  readonly hops: Hop[]
  readonly pressed: string[]
  answer?: PageRequest
}

/** What one request leads to: another one, or the end of the visit. */
type Step =
  | { readonly navigation: Navigation; readonly page?: Page }
  | (Pick<Visit, 'end' | 'url' | 'problem'> & { readonly page?: Page })

async function visit(request: PageRequest, context: Context): Promise<Visit> {
  const { url } = request
  const progress: Progress = { hops: [], pressed: [], ...(request.isAnswer && { answer: request }) }
  const { hops } = progress
  if (!URL.canParse(url) || !isWebAddress(new URL(url))) {
    return { end: 'unreachable', hops, url, problem: `${url} is no http or https address` }
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
    const { answer } = progress
    if ('end' in step) {
      return {
        url: step.end === 'page' ? undefined : navigation.url.href,
        ...step,
        hops,
        page,
        ...(answer && { answer }),
      }
    }
    navigation = step.navigation
  }
}

/** Makes one request and adds its hop. */
async function take(navigation: Navigation, progress: Progress, context: Context): Promise<Step> {
  const { parties, sandboxUrl, from, signal } = context
  const { method, url, body, isCallback, isRead } = navigation
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
  const result = await context.exchange(
    { method, url, headers, body: body?.text, from: isSandbox ? undefined : from },
    signal,
  )
  const answer = isFailure(result) ? result.answer : result
  const status = answer?.status ?? 0
  const flow = isSandbox ? answer?.header('x-agekey-sandbox-flow') : undefined
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
  const page = pageOf(answer, url)
  if (isFailure(result)) return { end: result.end, problem: result.problem, page }
  if (context.peeks) return { end: 'page', page }
  const { fragment } = context
  if (fragment && isRead && method === 'GET' && page.status < 400 && isHtml(page)) {
    return { page, navigation: passingOn(page, fragment) }
  }
  return { page, ...leavePage(page, { answer, party, progress, context }) }
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
  ...(persona === undefined ? {} : { 'X-Sandbox-Persona': persona }),
  ...(outcome === undefined ? {} : { 'X-Sandbox-Outcome': outcome }),
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

/** Where a page leads: on by itself, on by its user, or nowhere. */
function leavePage(page: Page, at: { answer: HttpAnswer; party: Party; progress: Progress; context: Context }): Step {
  const { party, progress, context } = at
  const { sandboxUrl, parties, begin } = context
  const { pressed, hops, answer } = progress
  const by = { initiator: party, referrerPolicy: at.answer.header('referrer-policy') }
  const ways = waysOf(page, begin && 'click' in begin ? begin.click : undefined)
  if (party === 'sandbox') {
    const isBack = ({ method, url }: Navigation) => method === 'POST' && parties.partyOf(url, sandboxUrl) !== party
    const form = page.status < 400 ? ways.map(({ onward }) => leaving(page, onward, by)).find(isBack) : undefined
    return form ? fromSandbox(form, progress, context) : { end: 'sandbox_page', problem: explanationOf(page) }
  }
  const onward = onwardByItself(page)
  if (onward) return { navigation: leaving(page, onward, by) }
  const asked = hops.flatMap(({ endpoint = [] }) => endpoint)
  const isBeginning = asked.length === 0 && !answer && !context.looksOnly
  if (isBeginning && begin && 'request' in begin && pressed.length === 0) {
    pressed.push('the request of begin')
    const request = firstNavigation({ ...begin.request, url: new URL(begin.request.url, page.url).href })
    return { navigation: { ...request, initiator: 'app' } }
  }
  const search: Search = { ...context, asked, answer, pressed }
  const way = chooseWay(ways, search)
  if (!way) return { end: 'page', problem: isBeginning ? notBegun(ways, pressed, begin) : undefined }
  pressed.push(nameOf(way.text, way.url))
  return { navigation: leaving(page, way.onward, by) }
}

const pageOf = ({ status, header, text }: HttpAnswer, { href: url }: URL): Page => ({
  url,
  status,
  mediaType: (header('content-type') ?? '').split(';', 1).join('').trim().toLowerCase(),
  text,
})
