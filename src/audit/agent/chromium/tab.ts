import type { BrowserContext, CDPSession, Request, Page as Window } from 'playwright-core'
import { decisionCookies } from '../../../client/decision-cookies.ts'
import type { Hop, Page, PageRequest, Visit, VisitOptions } from '../browser.ts'
import { chooseWay, nameOf, notBegun } from '../choose-way.ts'
import { namesSetBy } from '../cookies.ts'
import { MAX_REDIRECTS } from '../http-agent.ts'
import { firstNavigation, isWebAddress, type Navigation } from '../navigation.ts'
import { endpointOf, type Parties } from '../parties.ts'
import { explanationOf } from '../read-page.ts'
import { callOf, PAGE_SCRIPT, type Stored, snapshotSchema, storedSchema, waysSchema } from './page-script.ts'

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

/** What a browser keeps from visit to visit. */
export interface Kept {
  readonly cookies: Cookies
  /** By origin. */
  readonly stored: Readonly<Record<string, Stored>>
  /** What was kept before the last answer of the sandbox came. */
  readonly before?: Omit<Kept, 'before'> | undefined
}

export interface TabSettings extends VisitOptions {
  readonly parties: Parties
  readonly kept: Kept
  /** Addresses that answer when there are news. */
  readonly longPolls: Set<string>
  note(line: string): void
}

/** A tab that is used for one visit after the other. */
export interface Tab {
  /** Opens an address and follows it to its end. Then the tab shows an empty page of the app. */
  visit(request: PageRequest, settings: TabSettings): Promise<{ visit: Visit; kept: Kept; isWell: boolean }>
  /** Leaves the cookies and the storage of a browser in the tab, and nothing else. */
  restore(kept: Kept): Promise<void>
}

/** A page of no app, below the origin of an app. */
const EMPTY = '/agekey-sandbox-audit-empty-page'
/** A tab that shows no empty page after so long hangs. */
const EMPTY_MS = 5000

export async function openTab(context: BrowserContext): Promise<Tab> {
  const window = await context.newPage()
  const session = await context.newCDPSession(window)
  // Of the app, with what pages stored there.
  const origins = new Set<string>()
  let running: ReturnType<typeof createVisit> | undefined
  session.on('Fetch.requestPaused', (paused: Paused) => {
    if (running) return void running.take(paused)
    const { requestId } = paused
    const isEmpty = paused.resourceType === 'Document' && paused.request.url.endsWith(EMPTY)
    const responseHeaders = [{ name: 'Content-Type', value: 'text/html' }]
    const answer = isEmpty
      ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    answer.catch(() => {})
  })
  window.on('request', (request) => running?.began(request))
  window.on('requestfinished', (request) => running?.done(request))
  window.on('requestfailed', (request) => running?.failed(request))
  window.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream')) running?.done(response.request())
  })
  session.on('Page.frameNavigated', ({ frame }: { frame: { id: string; url: string } }) => {
    // The empty page that the visit before ended with may be told of late.
    if (frame.id === mainFrame && !frame.url.endsWith(EMPTY)) running?.shown()
  })
  const onLeaving = ({ frameId, delay = 0 }: { frameId: string; delay?: number }) =>
    void (frameId === mainFrame && delay <= 1 && running?.leaves(true))
  session.on('Page.frameScheduledNavigation', onLeaving)
  session.on('Page.frameRequestedNavigation', onLeaving)
  const onStaying = ({ frameId }: { frameId: string }) => void (frameId === mainFrame && running?.leaves(false))
  session.on('Page.frameStoppedLoading', onStaying)
  session.on('Page.navigatedWithinDocument', onStaying)
  window.on('dialog', (dialog) => {
    const isLeft = dialog.type() === 'beforeunload'
    const said = `${dialog.type()} ${JSON.stringify(dialog.message().slice(0, 80))}`
    if (!isLeft) running?.note(`your app opens a dialog, which was dismissed: ${said}`)
    const answer = isLeft ? dialog.accept() : dialog.dismiss()
    answer.catch(() => {})
  })
  window.on('console', (message) => {
    if (!message.text().startsWith('Service Worker registration blocked')) return
    running?.note('your app registers a service worker, which was not: the audit has to see each request')
  })
  window.on('download', () => running?.note('your app offers a download, which was refused'))
  window.on('crash', () => running?.end({ end: 'dropped', problem: 'the page of your app crashed its tab' }))
  // One that no script opens, such as a link to another window.
  window.on('popup', (popup) => void popup.close().catch(() => {}))
  const patterns = [
    { urlPattern: '*', requestStage: 'Request' as const },
    { urlPattern: '*', requestStage: 'Response' as const, resourceType: 'Document' as const },
  ]
  const { frameTree } = await session.send('Page.getFrameTree')
  const mainFrame = frameTree.frame.id
  await window.addInitScript(PAGE_SCRIPT)
  await Promise.all([session.send('Fetch.enable', { patterns }), session.send('Page.enable')])
  const goHome = (origin: string) => window.goto(`${origin}${EMPTY}`, { waitUntil: 'commit', timeout: EMPTY_MS })

  return {
    async visit(request, settings) {
      const { url } = firstNavigation(request)
      running = createVisit({ window, session, mainFrame }, request, settings)
      const done = await running.run()
      for (const { party, url } of running.hops) if (party === 'app') origins.add(new URL(url).origin)
      running = undefined
      // What the page still does ends here; the origin stays, because another one may take another process.
      const home = await goHome(url.origin).catch(() => undefined)
      return { ...done, isWell: home !== undefined }
    },
    async restore({ cookies, stored }) {
      await Promise.all([context.clearCookies(), session.send('Network.clearBrowserCache')])
      if (cookies.length > 0) await context.addCookies(cookies)
      for (const origin of new Set([...origins, ...Object.keys(stored)])) {
        if (new URL(window.url()).origin !== origin) await goHome(origin)
        const nothing = { local: {}, session: {} }
        await session.send('Runtime.evaluate', {
          expression: callOf('restore', stored[origin] ?? nothing),
          awaitPromise: true,
        })
      }
      origins.clear()
      for (const origin of Object.keys(stored)) origins.add(origin)
    },
  }
}

/** A request that Chromium holds back, before it is sent or before its answer is read. */
interface Paused {
  readonly requestId: string
  readonly request: {
    readonly url: string
    readonly urlFragment?: string
    readonly method: string
    readonly headers: object
    readonly postData?: string
  }
  readonly frameId: string
  readonly resourceType: string
  readonly responseErrorReason?: string
  readonly responseStatusCode?: number
  readonly responseHeaders?: { readonly name: string; readonly value: string }[]
}

/** What ends a visit other than that its page has come to rest. */
type Ending = Pick<Visit, 'end' | 'url' | 'problem'>

/** What shows nothing that a judge could read. */
const UNREAD: readonly string[] = ['Image', 'Media', 'Font']
/** Requests that never end. */
const ENDLESS: readonly string[] = ['eventsource', 'websocket', 'ping', 'cspreport']
/** A GET of a script that is not answered for so long waits for news, unless it carries a part of the answer. */
const LONG_POLL_MS = 3000
/** A navigation that a page has asked for begins in this time. */
const LEAVING_MS = 1000

/**
 * One visit of a tab. Each request is held back before it is sent, also the target of a redirect, so that `decide` is asked in time and
 * nothing beyond this machine is asked. Persona and outcome travel as cookies of the sandbox's browser flows, as those of a user's
 * browser do; they are set while the request is held.
 */
function createVisit(
  { window, session, mainFrame }: { window: Window; session: CDPSession; mainFrame: string },
  first: PageRequest,
  settings: TabSettings,
) {
  const { parties, sandboxUrl, longPolls, note, signal, begin, looksOnly, holds } = settings
  const context = window.context()
  const hops: (Hop & { status: number; flow?: string | undefined; cookies: readonly string[] })[] = []
  const underWay = new Map<Request, string>()
  const timers = new Set<NodeJS.Timeout>()
  const stored: Record<string, Stored> = { ...settings.kept.stored }
  let before: Omit<Kept, 'before'> = settings.kept
  let answer = first.isAnswer ? first : undefined
  let next: Navigation | undefined
  let document: (Omit<Page, 'text'> & { readonly text?: string | undefined }) | undefined
  let ending: Ending | undefined
  let fault: { readonly reason: unknown } | undefined
  let isNavigating = true
  let isLeaving = false
  let isShown = false
  let beginnings = 0
  // Called when something has changed.
  let wake = () => {}
  const end = (one: Ending) => {
    ending ??= one
    wake()
  }

  const after = (ms: number, act: () => void) => void timers.add(setTimeout(act, ms))
  const ask = async (expression: string, timeout?: number): Promise<unknown> => {
    const how = { expression, awaitPromise: true, returnByValue: true, userGesture: true }
    const said = session.send('Runtime.evaluate', how).catch(() => undefined)
    // The script of a page may run for ever.
    const late = new Promise<undefined>((resolve) => timeout && after(timeout, () => resolve(undefined)))
    return (await Promise.race([said, late]))?.result.value
  }
  const keep = (value: unknown) => {
    const one = storedSchema.safeParse(value).data
    if (one) stored[one.origin] = one
  }

  async function take(paused: Paused): Promise<void> {
    const isWindow = paused.resourceType === 'Document' && paused.frameId === mainFrame
    const isAnswer = paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined
    try {
      if (isAnswer && isWindow) await takeAnswer(paused)
      else if (isAnswer) await session.send('Fetch.continueResponse', { requestId: paused.requestId })
      else if (isWindow) await takeNavigation(paused)
      else await takePart(paused)
    } catch (error) {
      end({ end: 'dropped', problem: String(error) })
    }
  }

  const refuse = async ({ requestId }: Paused, one?: Ending): Promise<void> => {
    if (one) end(one)
    await session.send('Fetch.failRequest', { requestId, errorReason: one ? 'Aborted' : 'BlockedByClient' })
  }

  /** A script, a picture, a frame. */
  async function takePart(paused: Paused): Promise<void> {
    const { request, requestId, resourceType } = paused
    const url = new URL(request.url)
    const endpoint = endpointOf(url, sandboxUrl)
    if (endpoint && resourceType === 'Document') {
      const problem = 'your app opens the service in a frame, which is not followed; send the window itself there'
      return refuse(paused, { end: 'astray', url: url.href, problem })
    }
    const isBeyond = isWebAddress(url) && !parties.mayBeApp(url) && parties.partyOf(url, sandboxUrl) !== 'sandbox'
    if (endpoint) note(`a script of your app fetches ${endpoint}, and was kept from it: a browser has to be sent there`)
    else if (isBeyond) note(`what your pages load from ${url.origin} was not loaded: --this-app-is-mine allows it`)
    if (endpoint || isBeyond) return refuse(paused)
    if (UNREAD.includes(resourceType)) return refuse(paused)
    await session.send('Fetch.continueRequest', { requestId })
  }

  /** Before a request of the window is sent. */
  async function takeNavigation(paused: Paused): Promise<void> {
    const { request, requestId } = paused
    const url = new URL(`${request.url}${request.urlFragment ?? ''}`)
    const given = next
    next = undefined
    isNavigating = true
    isLeaving = false
    beginnings += 1
    const method = (given?.method ?? request.method) === 'POST' ? 'POST' : 'GET'
    const isFromSandbox = hops.at(-1)?.party === 'sandbox'
    // Decision: a script may lead to another origin of this machine, such as that of an API, but not to another service.
    const isOwn = given !== undefined || isFromSandbox || !url.searchParams.has('response_type')
    if (isOwn && parties.partyOf(url, sandboxUrl) === 'elsewhere') parties.addApp(url)
    const party = parties.partyOf(url, sandboxUrl)
    const isCallback = given?.isCallback === true || (isFromSandbox && party !== 'sandbox')
    if (isFromSandbox && isCallback) {
      const form = Object.fromEntries(new URLSearchParams(request.postData))
      answer = { url: url.href, isAnswer: true, ...(method === 'POST' && { method, form, isCrossSite: true }) }
      const asked = hops.findLast((hop) => hop.endpoint)?.endpoint
      if (asked !== undefined && asked === holds) return refuse(paused, { end: 'held', url: url.href })
      before = { cookies: await context.cookies(), stored: { ...stored } }
    }
    if (hops.length > MAX_REDIRECTS) {
      const problem = `it goes on after ${MAX_REDIRECTS} redirects`
      return refuse(paused, { end: 'too_many_redirects', url: url.href, problem })
    }
    if (party === 'elsewhere') {
      const problem = `${url.origin} is neither on this machine nor in a private network`
      return refuse(paused, { end: 'elsewhere', url: url.href, ...(!parties.mayBeApp(url) && { problem }) })
    }
    const endpoint = endpointOf(url, sandboxUrl)
    if (endpoint) {
      const parameters = Object.fromEntries(url.searchParams)
      const decision = await settings.decide({ endpoint, url: url.href, parameters }).catch((reason: unknown) => {
        fault = { reason }
        return 'stop' as const
      })
      if (decision === 'stop') return refuse(paused, { end: 'stopped', url: url.href })
      const cookies = decisionCookies(sandboxUrl, { ...decision, audit: true })
      const set = cookies.map((one) => session.send('Network.setCookie', { ...one, path: new URL(one.url).pathname }))
      const [now] = await Promise.all([ask(callOf('stored'), 500), ...set])
      keep(now)
    }
    if (ending) return refuse(paused)
    isShown = false
    hops.push({ party, method, url: url.href, status: 0, endpoint, isCallback, cookies: [] })
    // Given headers take the place of all, cookies too.
    const others = given?.body && { 'Content-Type': given.body.type, Origin: given.origin ?? url.origin }
    const headers = Object.entries({ ...request.headers, ...others })
    const body = given?.body && {
      headers: headers.map(([name, value]) => ({ name, value: String(value) })),
      postData: Buffer.from(given.body.text).toString('base64'),
    }
    await session.send('Fetch.continueRequest', { requestId, method, ...body })
  }

  /** Before the answer to a request of the window is read. */
  async function takeAnswer(paused: Paused): Promise<void> {
    const { request, requestId, responseStatusCode: status = 0, responseHeaders = [] } = paused
    const hop = hops.at(-1)
    const valuesOf = (wanted: string) =>
      responseHeaders.flatMap(({ name, value }) => (name.toLowerCase() === wanted ? [value] : []))
    if (hop && status !== 0) {
      hop.status = status
      hop.cookies = namesSetBy(valuesOf('set-cookie').flatMap((value) => value.split('\n')))
      if (hop.party === 'sandbox') hop.flow = valuesOf('x-agekey-sandbox-flow')[0]
      const [location] = status >= 300 && status < 400 ? valuesOf('location') : []
      if (location === undefined) {
        const mediaType = (valuesOf('content-type')[0] ?? '').split(';', 1).join('').trim().toLowerCase()
        const isDownload = valuesOf('content-disposition').some((value) => /^attachment/i.test(value))
        // Chromium stays at the page before.
        const isKept = status === 204 || status === 205 || isDownload
        isShown = true
        let text: string | undefined = isKept ? '' : undefined
        if (!isKept && !/^(?:text\/html|application\/xhtml\+xml|)$/.test(mediaType)) {
          const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId })
          text = base64Encoded ? Buffer.from(body, 'base64').toString() : body
        }
        document = { url: `${request.url}${request.urlFragment ?? ''}`, status, mediaType, text }
        if (isKept) end({ end: 'page' })
      } else if (!(URL.canParse(location, request.url) && isWebAddress(new URL(location, request.url)))) {
        const from = new URL(request.url).origin
        const problem = `${from} redirects to ${JSON.stringify(location)}, which is no http or https address`
        return refuse(paused, { end: 'elsewhere', url: location, problem })
      }
    }
    await session.send('Fetch.continueResponse', { requestId })
  }

  /** A request of a page or a worker. */
  function began(request: Request): void {
    beginnings += 1
    const url = new URL(request.url())
    const place = `${request.method()} ${url.pathname}`
    if (request.isNavigationRequest() || ENDLESS.includes(request.resourceType()) || longPolls.has(place)) return
    underWay.set(request, place)
    const isAsking = request.method() === 'GET' && ['xhr', 'fetch'].includes(request.resourceType())
    if (!isAsking || carriesAnswer(request, answer)) return
    after(LONG_POLL_MS, () => {
      if (underWay.has(request)) longPolls.add(place)
      done(request)
    })
  }

  function done(request: Request): void {
    underWay.delete(request)
    wake()
  }

  function failed(request: Request): void {
    const error = request.failure()?.errorText ?? ''
    const isWindow = request.isNavigationRequest() && request.frame() === window.mainFrame()
    // A navigation that another one takes the place of, and one that the audit itself ended.
    if (isWindow && error !== 'net::ERR_ABORTED') end(failureOf(error, hops.at(-1)?.url ?? request.url()))
    const isLast = hops.at(-1)?.url.split('#', 1)[0] === request.url().split('#', 1)[0]
    if (isWindow && isLast) isNavigating = false
    done(request)
  }

  /** The window shows another page; requests of the page before ended with it. */
  function shown(): void {
    underWay.clear()
    isNavigating = false
    wake()
  }

  /** A page is about to be left. */
  function leaves(is: boolean): void {
    isLeaving = is
    // For an address that is no page, as of a mail.
    if (is) after(LEAVING_MS, () => leaves(false))
    wake()
  }

  const isIdle = () => !isNavigating && !isLeaving && underWay.size === 0

  /**
   * Resolves when the page has come to rest, or the visit has ended. A page is at rest when no navigation and no request is under way,
   * and it neither changes nor computes nor waits for a short timer of its own.
   */
  async function rest(): Promise<void> {
    for (;;) {
      while (!isIdle() && !ending) await new Promise<void>((resolve) => (wake = resolve))
      if (ending) return
      const was = beginnings
      // A page that is left while it is asked gives its answer late, or never.
      const left = new Promise<void>((resolve) => {
        wake = () => (ending || isNavigating) && resolve()
      })
      const isResting = await Promise.race([ask(callOf('rest', hops.at(-1)?.isCallback ?? false)), left])
      if (ending || (isResting === true && was === beginnings && isIdle())) return
    }
  }

  /** Goes on until the visit is over, as a user would. @returns what was looked for in vain */
  async function goOn(): Promise<string | undefined> {
    const pressed: string[] = []
    for (;;) {
      await rest()
      if (ending || looksOnly || hops.at(-1)?.party === 'sandbox') return undefined
      const asked = hops.flatMap(({ endpoint = [] }) => endpoint)
      const isBeginning = asked.length === 0 && !answer
      if (isBeginning && begin && 'request' in begin && pressed.length === 0) {
        pressed.push('the request of begin')
        navigate(firstNavigation({ ...begin.request, url: new URL(begin.request.url, window.url()).href }))
        continue
      }
      const ways =
        waysSchema.safeParse(await ask(callOf('ways', begin && 'click' in begin ? begin.click : ''))).data ?? []
      const way = chooseWay(ways, { sandboxUrl, begin, asked, answer, pressed })
      if (!way) return isBeginning ? notBegun(ways, pressed, begin) : undefined
      pressed.push(nameOf(way.text, way.url))
      await ask(callOf('press', way.index))
    }
  }

  function navigate(to: Navigation): void {
    next = to
    isNavigating = true
    // Its answer comes late, or never when the navigation is stopped.
    session.send('Page.navigate', { url: to.url.href }).catch(() => {})
  }

  /** Ends a visit whose time is up, with what it still did. */
  async function stop(): Promise<void> {
    const url = hops.at(-1)?.url ?? ''
    if (!document || !isShown) {
      const place = URL.canParse(url) ? new URL(url).origin : 'the app'
      return end({ end: 'timed_out', url, problem: `${place} did not answer in time` })
    }
    const [place] = underWay.values()
    const still =
      place === undefined ? isNavigating && 'it is still on its way to the next page' : `${place} is not answered`
    const problem = still || String((await ask(callOf('unrest'), 500)) ?? 'its script runs for ever')
    end({ end: 'restless', url, problem })
  }

  async function run(): Promise<{ visit: Visit; kept: Kept }> {
    const onAbort = () => void stop()
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const start = firstNavigation(first)
    parties.addApp(start.url)
    try {
      navigate(start)
      const problem = await goOn()
      if (fault) throw fault.reason
      const [said, cookies] = await Promise.all([ask(callOf('snapshot'), 1000), context.cookies()])
      const snapshot = snapshotSchema.safeParse(said).data
      keep(snapshot?.stored)
      const hop = hops.at(-1)
      const isNew = ({ name, domain, path, value }: Cookies[number]) =>
        !before.cookies.some(
          (one) => one.name === name && one.domain === domain && one.path === path && one.value === value,
        )
      if (hop && !ending) hop.cookies = [...new Set([...hop.cookies, ...cookies.filter(isNew).map(({ name }) => name)])]
      const kept = {
        cookies,
        stored,
        before: hops.some(({ isCallback }) => isCallback) ? before : settings.kept.before,
      }
      const visit = { hops, ...(answer && { answer }) }
      if (ending && ending.end !== 'page') return { visit: { ...visit, ...ending }, kept }
      if (!document) return { visit: { ...visit, end: 'dropped', url: start.url.href, problem: 'nothing came' }, kept }
      const { url, status, mediaType, text } = document
      const page =
        text === undefined
          ? { url: snapshot?.url ?? url, status, mediaType, text: snapshot?.html ?? '' }
          : { url, status, mediaType, text }
      if (hop?.party !== 'sandbox') return { visit: { ...visit, end: 'page', page, problem }, kept }
      return { visit: { ...visit, end: 'sandbox_page', page, url: page.url, problem: explanationOf(page) }, kept }
    } finally {
      signal.removeEventListener('abort', onAbort)
      for (const timer of timers) clearTimeout(timer)
    }
  }

  return { hops, note, take, began, done, failed, shown, leaves, end, run }
}

/** Whether a request holds a value that the sandbox answered with. */
function carriesAnswer(request: Request, answer: PageRequest | undefined): boolean {
  if (!answer) return false
  const { hash, searchParams } = new URL(answer.url)
  const values = [...new URLSearchParams(hash.slice(1)).values(), ...searchParams.values()]
  const sent = `${request.url()} ${JSON.stringify(request.headers())}`
  return values.some((value) => value.length >= 8 && (sent.includes(value) || sent.includes(encodeURIComponent(value))))
}

/** Errors of Chromium with which no connection came about. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ERR_CONNECTION_REFUSED: 'nothing answers there',
  ERR_NAME_NOT_RESOLVED: 'its host name is not known',
  ERR_ADDRESS_UNREACHABLE: 'its address is not reached',
  ERR_SSL_PROTOCOL_ERROR: 'it does not speak TLS',
  ERR_UNSAFE_PORT: 'browsers do not open this port',
}

/** How a navigation ended that failed. @param error such as `net::ERR_CONNECTION_REFUSED` */
function failureOf(error: string, url: string): Ending {
  const { origin } = new URL(url)
  const code = error.replace('net::', '')
  const reason =
    UNREACHABLE[code] ?? (code.startsWith('ERR_CERT_') ? `its certificate is not trusted (${code})` : undefined)
  if (reason !== undefined) return { end: 'unreachable', url, problem: `${origin} cannot be reached: ${reason}` }
  if (/TIMED_OUT$/.test(code)) return { end: 'timed_out', url, problem: `${origin} did not answer in time` }
  const isCut = /EMPTY_RESPONSE|CONNECTION_RESET|CONNECTION_CLOSED|SOCKET_NOT_CONNECTED/.test(code)
  const problem = isCut ? 'closed the connection without an answer' : `gave an answer that cannot be read (${code})`
  return { end: 'dropped', url, problem: `${origin} ${problem}` }
}
