import type { Agent, ForcedDecision, Hop, Page, PageRequest, Party, Visit, VisitOptions } from './browser.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { createExchange, type Exchange, type HttpAnswer, isFailure } from './exchange.ts'
import {
  firstNavigation,
  headersOf,
  isWebAddress,
  leaving,
  type Navigation,
  passingOn,
  redirected,
} from './navigation.ts'
import { isHtml, onwardByItself, onwardByUser, postedForm } from './onward.ts'
import { createParties, endpointOf, type Parties } from './parties.ts'
import { explanationOf } from './read-page.ts'

/** How often a visit goes on, by redirects or by pages that lead on. */
export const MAX_REDIRECTS = 20

export interface HttpAgentOptions {
  /** PEM of certificates to trust beside those of Node. */
  readonly ca?: string | undefined
  /** Also requests apps at addresses that are neither on this machine nor in a private network. */
  readonly anyAddress?: boolean | undefined
}

/** A browser without scripts on plain HTTP: it follows redirects, forms and cookies as Chrome does. */
export function createHttpAgent({ ca, anyAddress }: HttpAgentOptions = {}): Agent {
  const exchange = createExchange({ ca })
  return {
    name: 'http',
    notes: () => [],
    close: async () => {},
    newBrowser() {
      const state: BrowserState = {
        exchange,
        parties: createParties({ anyAddress }),
        // The service has another host in production: neither side sees the cookies of the other, even on one machine.
        cookies: { app: createCookies(), sandbox: createCookies() },
      }
      return {
        open: (request, options) => visit(request, { ...state, ...options }),
        forget: (names) => state.cookies.app.forget(names),
      }
    },
  }
}

interface BrowserState {
  readonly exchange: Exchange
  readonly parties: Parties
  readonly cookies: Readonly<Record<Exclude<Party, 'elsewhere'>, Cookies>>
}

type Context = BrowserState & VisitOptions

/** What one request leads to: another one, or the end of the visit. */
type Step =
  | { readonly navigation: Navigation; readonly page?: Page }
  | (Pick<Visit, 'end' | 'url' | 'problem'> & { readonly page?: Page })

async function visit(request: PageRequest, context: Context): Promise<Visit> {
  const hops: Hop[] = []
  if (!URL.canParse(request.url) || !isWebAddress(new URL(request.url))) {
    return { end: 'unreachable', hops, url: request.url, problem: `${request.url} is no http or https address` }
  }
  let navigation = firstNavigation(request)
  let page: Page | undefined
  context.parties.addApp(navigation.url)
  for (;;) {
    const { url } = navigation
    const step: Step =
      hops.length > MAX_REDIRECTS
        ? { end: 'too_many_redirects', problem: `it goes on after ${MAX_REDIRECTS} redirects` }
        : await take(navigation, hops, context)
    page = step.page ?? page
    if ('end' in step) return { url: step.end === 'page' ? undefined : url.href, ...step, hops, page }
    navigation = step.navigation
  }
}

/** Makes one request and adds its hop. */
async function take(navigation: Navigation, hops: Hop[], context: Context): Promise<Step> {
  const { parties, sandboxUrl } = context
  const { method, url, body, isCallback } = navigation
  const party = parties.partyOf(url, sandboxUrl)
  if (party === 'elsewhere') {
    const problem = `${url.origin} is neither on this machine nor in a private network`
    return parties.mayBeApp(url) ? { end: party } : { end: party, problem }
  }
  const endpoint = endpointOf(url, sandboxUrl)
  const decision = endpoint && (await decide(endpoint, url, context))
  if (decision === 'stop') return { end: 'stopped' }
  if (decision === 'timed_out') return { end: decision, problem: 'the time was up before the sandbox was asked' }

  const cookies = context.cookies[party]
  const headers = { ...headersOf(navigation, { party, cookies }), ...forced(decision) }
  const result = await context.exchange({ method, url, headers, body: body?.text }, context.signal)
  const answer = isFailure(result) ? result.answer : result
  const status = answer?.status ?? 0
  const flow = party === 'sandbox' ? answer?.header('x-agekey-sandbox-flow') : undefined
  const set = answer ? cookies.keep(answer.setCookie, url) : []
  hops.push({ party, method, url: url.href, status, flow, endpoint, isCallback, cookies: set })
  // A browser follows a redirect before its body is there.
  const redirect = answer && followRedirect(navigation, answer, context)
  if (redirect) return redirect
  const shown = answer && { page: pageOf(answer, url) }
  if (isFailure(result)) return { end: result.end, problem: result.problem, ...shown }
  const passed = passFragmentOn(navigation, pageOf(result, url), context)
  return { ...shown, ...(passed ?? leavePage(pageOf(result, url), result, { party, hops, context })) }
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

const forced = ({ persona, outcome }: ForcedDecision = {}): Readonly<Record<string, string>> => ({
  ...(persona === undefined ? {} : { 'X-Sandbox-Persona': persona }),
  ...(outcome === undefined ? {} : { 'X-Sandbox-Outcome': outcome }),
})

/** Where a redirect leads; one of the sandbox is a callback, and its target belongs to the app. */
function followRedirect(from: Navigation, answer: HttpAnswer, { parties, sandboxUrl }: Context): Step | undefined {
  const to = redirected(from, answer)
  if (to === undefined) return undefined
  if (typeof to === 'string') {
    const problem = `${from.url.origin} redirects to ${JSON.stringify(to)}, which is no http or https address`
    return { end: 'elsewhere', url: to, problem }
  }
  if (parties.partyOf(from.url, sandboxUrl) !== 'sandbox') return { navigation: to }
  const isAnswer = endpointOf(from.url, sandboxUrl) === 'E1'
  return { navigation: { ...fromSandbox(to, { parties, sandboxUrl }), isAnswer } }
}

/** A user has been on the page of the service meanwhile, so what follows comes from there. */
function fromSandbox(
  navigation: Navigation,
  { parties, sandboxUrl }: Pick<Context, 'parties' | 'sandboxUrl'>,
): Navigation {
  const isCallback = parties.partyOf(navigation.url, sandboxUrl) !== 'sandbox'
  if (isCallback) parties.addApp(navigation.url)
  return { ...navigation, initiator: 'sandbox', isCallback }
}

/** What the script of a callback page does, when it is known. */
function passFragmentOn({ isAnswer, method }: Navigation, page: Page, { fragment }: Context): Step | undefined {
  const isRead = fragment && isAnswer && method === 'GET' && page.status < 400 && isHtml(page)
  return isRead ? { navigation: passingOn(page, fragment) } : undefined
}

/** Where a page leads: on by itself, to the sandbox by its user, or nowhere. */
function leavePage(
  page: Page,
  { header }: HttpAnswer,
  { party, hops, context }: { party: Party; hops: readonly Hop[]; context: Context },
): Step {
  const { parties, sandboxUrl } = context
  const by = { initiator: party, referrerPolicy: header('referrer-policy') }
  if (party === 'sandbox') {
    const form = page.status < 400 ? postedForm(page, (url) => parties.partyOf(url, sandboxUrl) !== party) : undefined
    if (!form) return { end: 'sandbox_page', problem: explanationOf(page) }
    return { navigation: fromSandbox(leaving(page, form, by), context) }
  }
  // A user who came back does not begin again; the page may lead on to Create.
  const isFresh = (url: URL) => {
    const endpoint = endpointOf(url, sandboxUrl)
    return hops.every((hop) => hop.party !== 'sandbox' || (endpoint === 'E3' && hop.endpoint !== 'E3'))
  }
  const onward =
    onwardByItself(page) ?? onwardByUser(page, (url) => endpointOf(url, sandboxUrl) !== undefined && isFresh(url))
  return onward ? { navigation: leaving(page, onward, by) } : { end: 'page' }
}

const pageOf = ({ status, header, text }: HttpAnswer, { href: url }: URL): Page => ({
  url,
  status,
  mediaType: (header('content-type') ?? '').split(';', 1).join('').trim().toLowerCase(),
  text,
})
