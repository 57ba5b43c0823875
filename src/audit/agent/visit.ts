import { aborted } from 'node:util'
import type { HttpAnswer, HttpRequest } from '../../server/client/exchange.ts'
import type { BrowserVisit, Hop, PageRequest, ShownPage, VisitOptions } from './browser.ts'
import { chooseWay, notBegun, wayName } from './choose-way.ts'
import type { Cookies } from './cookies.ts'
import { type End, type Navigation, navigationHeaders, redirectOf } from './navigation.ts'
import { type Onward, onwardByItself, onwardTo, passedOn, waysOf, webAddress } from './onward.ts'
import { calledEndpoint, type Parties } from './parties.ts'
import { explanationOf, isHtml } from './read-page.ts'
import type { LoadedPage, RestingPage } from './resting-page.ts'

/** Maximum number of requests after the first request: redirects, forms and pressed elements. */
export const MAX_REDIRECTS = 20

/** A browser, and the options of one visit. */
export interface VisitContext extends VisitOptions {
  exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>
  readonly parties: Parties
  readonly cookies: Readonly<Record<'app' | 'sandbox', Cookies>>
  /** The loopback address to connect from; `undefined` for the default. */
  readonly from: string | undefined
  /** Runs the scripts of a page of the app; absent in a browser without scripts. */
  readonly show?: ((page: LoadedPage) => Promise<RestingPage>) | undefined
}

/** The state of a visit between two navigations. */
interface Visit {
  readonly context: VisitContext
  readonly hops: Hop[]
  /** The pressed elements, by `wayName`. */
  readonly pressed: string[]
  /**
   * Elements that the user could press before the answer, such as a menu, by `wayName`. Pressing
   * them after the answer would prove nothing about the answer.
   */
  readonly waysBeforeAnswer: Set<string>
  /** The last request that carries an answer of the sandbox to the app. */
  answer: PageRequest | undefined
  page: ShownPage | undefined
}

/**
 * Opens a URL, then follows redirects, forms and elements that the user presses, to the end of the
 * visit. A failed request ends the visit.
 */
export async function runVisit(request: PageRequest, context: VisitContext): Promise<BrowserVisit> {
  if (!webAddress(request.url)) {
    const problem = `${request.url} is no http or https address`
    return { end: 'unreachable', hops: [], url: request.url, problem }
  }
  const visit: Visit = {
    context,
    hops: [],
    pressed: [],
    waysBeforeAnswer: new Set(),
    answer: request.isAnswer ? request : undefined,
    page: undefined,
  }
  let navigation = firstNavigation(request)
  context.parties.addApp(navigation.url)
  while (visit.hops.length <= MAX_REDIRECTS) {
    const next = await navigate(navigation, visit)
    if ('end' in next) return endedVisit(next, navigation.url, visit)
    navigation = next
  }
  const problem = `it goes on after ${MAX_REDIRECTS} redirects`
  return endedVisit({ end: 'too_many_redirects', problem }, navigation.url, visit)
}

function firstNavigation(request: PageRequest): Navigation {
  const first = onwardTo(request)
  if (!request.isAnswer) return { ...first, initiator: 'user' }
  const { hash, search } = first.url
  return {
    ...first,
    initiator: 'sandbox',
    isCallback: true,
    isRead: hash !== '' || search === '',
  }
}

function endedVisit(end: End, url: URL, { hops, page, answer }: Visit): BrowserVisit {
  return {
    url: end.end === 'page' ? undefined : url.href,
    ...end,
    hops,
    page,
    ...(answer && { answer }),
  }
}

/** Makes one request and adds its hop. @returns the next request, or the end of the visit */
async function navigate(navigation: Navigation, visit: Visit): Promise<Navigation | End> {
  const { context } = visit
  const { url } = navigation
  const party = partyOf(url, context)
  if (party === 'elsewhere') return elsewhere(url, context)
  const decision = await decisionFor(url, party, context)
  if (decision === 'stop') return { end: 'stopped' }
  if (decision === 'timed_out')
    return { end: decision, problem: 'the time was up before the sandbox was asked' }

  const pageUrl = visit.page?.url
  const cookies = context.cookies[party]
  const headers = navigationHeaders(navigation, { party, pageUrl, cookies, decision })
  const answer = await send(navigation, headers, party, context)
  visit.hops.push(hopOf(navigation, answer, party, context))

  // A browser follows a redirect before the body has arrived, so a broken body does not matter.
  const redirect = redirectOf(navigation, answer)
  if (redirect) {
    const isFromSandbox = party === 'sandbox' && !('end' in redirect)
    return isFromSandbox ? leaveSandbox(redirect, visit) : redirect
  }
  const page = pageOf(url, answer)
  if (answer.status > 0) visit.page = page
  if (answer.failure) return { end: answer.failure.end, problem: answer.failure.problem }
  if (context.peeks) return { end: 'page' }
  if (party === 'sandbox') return leaveSandboxPage(page, visit)
  return leavePage(await restingPage(page, navigation, answer, visit), visit)
}

/** The party of a URL. Adds the origin to the app if a script may lead there. */
function partyOf(url: URL, { parties, sandboxUrl, show }: VisitContext): Hop['party'] {
  const isOfSandbox = parties.partyOf(url, sandboxUrl) === 'sandbox'
  // Decision: a script may lead to another origin of the app, such as an API, but not to another
  // OpenID provider.
  if (show && !isOfSandbox && !url.searchParams.has('response_type')) parties.addApp(url)
  return parties.partyOf(url, sandboxUrl)
}

function elsewhere(url: URL, { parties }: VisitContext): End {
  if (parties.mayBeApp(url)) return { end: 'elsewhere' }
  const problem = `${url.origin} is neither on this machine nor in a private network`
  return { end: 'elsewhere', problem }
}

/** The decision for a request to E1 or E3; `undefined` for other requests. */
async function decisionFor(url: URL, party: 'app' | 'sandbox', context: VisitContext) {
  const { sandboxUrl, signal, decide, peeks } = context
  if (peeks && party === 'sandbox') return 'stop'
  const endpoint = calledEndpoint(url, sandboxUrl)
  if (!endpoint) return undefined
  if (signal.aborted) return 'timed_out'
  if (!decide) return 'stop'
  const parameters = Object.fromEntries(url.searchParams)
  const late = aborted(signal, signal).then(() => 'timed_out' as const)
  return Promise.race([decide({ endpoint, url: url.href, parameters }), late])
}

function send(
  { method, url, body }: Navigation,
  headers: HttpRequest['headers'],
  party: 'app' | 'sandbox',
  { exchange, from, signal }: VisitContext,
): Promise<HttpAnswer> {
  const ownAddress = party === 'sandbox' ? undefined : from
  return exchange({ method, url, headers, body: body?.text, from: ownAddress }, signal)
}

/** Stores the cookies of a response. @returns the hop of the request */
function hopOf(
  { method, url, isCallback = false }: Navigation,
  { status, headers, setCookie }: HttpAnswer,
  party: 'app' | 'sandbox',
  context: VisitContext,
): Hop {
  return {
    party,
    method,
    url: url.href,
    status,
    flow: party === 'sandbox' ? headers['x-agekey-sandbox-flow'] : undefined,
    endpoint: calledEndpoint(url, context.sandboxUrl),
    isCallback,
    cookies: context.cookies[party].keep(setCookie, url),
  }
}

function pageOf(url: URL, { status, headers, text }: HttpAnswer): ShownPage {
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';', 1)
  return { url: url.href, status, mediaType: mediaType.trim().toLowerCase(), text }
}

/**
 * The request that follows a redirect or a form of the sandbox: to another page of the sandbox, or
 * to the app with an answer. The request to the app is cross-site.
 */
function leaveSandbox(to: Onward, visit: Visit): Navigation | End {
  const { parties, sandboxUrl, holds } = visit.context
  const { url, method, body } = to
  if (parties.partyOf(url, sandboxUrl) === 'sandbox') return { ...to, initiator: 'sandbox' }
  const endpoint = visit.hops.findLast((hop) => hop.endpoint)?.endpoint
  const form = { method, form: Object.fromEntries(new URLSearchParams(body?.text)) }
  visit.answer = { url: url.href, isAnswer: true, ...(method === 'POST' && form) }
  if (endpoint !== undefined && endpoint === holds) return { end: 'held', url: url.href }
  parties.addApp(url)
  return { ...to, initiator: 'sandbox', isCallback: true, isRead: endpoint === 'E1' }
}

/** Submits the form of form_post. The visit ends at any other page of the sandbox. */
function leaveSandboxPage(page: ShownPage, visit: Visit): Navigation | End {
  const { parties, sandboxUrl } = visit.context
  const toApp = waysOf(page).find(
    ({ onward: { method, url } }) =>
      method === 'POST' && parties.partyOf(url, sandboxUrl) !== 'sandbox',
  )
  if (toApp && page.status < 400) return leaveSandbox(toApp.onward, visit)
  return { end: 'sandbox_page', problem: explanationOf(page) }
}

/** A page of the app at rest. In a browser with scripts, the scripts of the page have run. */
async function restingPage(
  page: ShownPage,
  { method, isCallback = false, isRead }: Navigation,
  { headers, status }: HttpAnswer,
  { context, answer }: Visit,
): Promise<RestingPage> {
  const { show, fragment, begin } = context
  const hasDocument = isHtml(page) && status !== 204 && status !== 205
  if (show && hasDocument) {
    const { sandboxUrl, signal, parties, cookies } = context
    const answered = answer !== undefined
    const options = { sandboxUrl, signal, begin, parties, cookies: cookies.app }
    return show({ ...options, page, headers, answered, isCallback })
  }
  const isAnswerPage = isRead && method === 'GET' && status < 400 && isHtml(page)
  const passesOn = fragment && !show && isAnswerPage
  return {
    page,
    onward: passesOn ? passedOn(page, fragment) : onwardByItself(page),
    ways: waysOf(page, begin && 'click' in begin ? begin.click : undefined),
  }
}

/** The request that follows a page of the app, or the end of the visit. */
async function leavePage(resting: RestingPage, visit: Visit): Promise<Navigation | End> {
  visit.page = resting.page
  addCookies(resting.cookies, visit.hops)
  if (resting.ending) return resting.ending
  if (resting.onward) return { ...resting.onward, initiator: 'app' }
  const beginning = requestOfBegin(visit)
  if (beginning) return beginning
  const way = wayOfUser(resting, visit)
  if (!way) return { end: 'page', problem: problemOf(resting, visit) }
  visit.pressed.push(wayName(way))
  if ('press' in way) return leavePage(await way.press(), visit)
  return { ...way.onward, initiator: 'app' }
}

/** Adds the cookies that a script set to the hop of its page. */
function addCookies(names: readonly string[] = [], hops: Hop[]): void {
  const hop = hops.pop()
  if (hop) hops.push({ ...hop, cookies: [...new Set([...hop.cookies, ...names])] })
}

const askedEndpoints = ({ hops }: Visit) => hops.flatMap(({ endpoint = [] }) => endpoint)

/** Whether the user has not begun the flow yet. */
const isBeginning = (visit: Visit) =>
  visit.context.decide !== undefined && !visit.answer && askedEndpoints(visit).length === 0

/** The request of `begin`, which replaces the first press. */
function requestOfBegin(visit: Visit): Navigation | undefined {
  const { context, pressed, page } = visit
  const { begin } = context
  const isFirst = isBeginning(visit) && pressed.length === 0
  if (!isFirst || !begin || !('request' in begin)) return undefined
  pressed.push('the request of begin')
  const url = new URL(begin.request.url, page?.url).href
  return { ...onwardTo({ ...begin.request, url }), initiator: 'app' }
}

function wayOfUser({ ways }: RestingPage, visit: Visit): RestingPage['ways'][number] | undefined {
  const { context, answer, pressed, waysBeforeAnswer } = visit
  if (!answer) for (const way of ways) waysBeforeAnswer.add(wayName(way))
  const { sandboxUrl, begin, decide } = context
  const asked = askedEndpoints(visit)
  const open = answer ? ways.filter((way) => !waysBeforeAnswer.has(wayName(way))) : ways
  return chooseWay(open, { sandboxUrl, begin, decide, asked, answer, pressed })
}

/** Why the flow has not begun; `undefined` if it has. */
const problemOf = ({ ways }: RestingPage, visit: Visit): string | undefined =>
  isBeginning(visit) ? notBegun(ways, visit.pressed, visit.context.begin) : undefined
