import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext, Request, Page as Window } from 'playwright-core'
import type { VisitOptions } from '../browser.ts'
import type { Cookies } from '../cookies.ts'
import type { Look, Screen } from '../http-agent.ts'
import { webAddress } from '../navigation.ts'
import { endpointOf, type Parties } from '../parties.ts'
import { callOf, PAGE_SCRIPT, restoringScript, type Stored, seenSchema } from './page-script.ts'

/** What pages have stored, by origin. */
export type Storage = Readonly<Record<string, Stored>>

export interface TabSettings extends Pick<VisitOptions, 'sandboxUrl' | 'signal' | 'begin'> {
  readonly parties: Parties
  readonly cookies: Cookies
  note(line: string): void
  /** Called with what an origin keeps whenever a page is left. */
  keep(origin: string, stored: Stored): void
}

/** A tab that shows the pages of one visit after the other. */
export type Tab = Awaited<ReturnType<typeof openTab>>

/** An address below each origin that redirects to the page to show. */
const DETOUR = '/agekey-sandbox-audit-detour'
/** What shows nothing that the audit could read. */
const UNREAD: readonly string[] = ['Image', 'Media', 'Font']
/** Requests that never end. */
const ENDLESS: readonly string[] = ['eventsource', 'websocket', 'ping', 'cspreport']
/** A GET of a script that is not answered for so long waits for news, unless the page was given the answer of the sandbox. */
const LONG_POLL_MS = 3000
/** Headers of the connection, or of what the audit has done itself. */
const NOT_SHOWN =
  /^(?:connection|keep-alive|content-(?:length|encoding|type|disposition)|transfer-encoding|set-cookie)$/

/**
 * Opens a tab. The audit makes each request of the window itself and gives Chromium the last answer, so that a flow goes the same way
 * with scripts and without. By the DevTools protocol: the routes of Playwright do not see redirects, and answer preflights themselves.
 */
export async function openTab(context: BrowserContext) {
  // Chromium takes pages that it did not load itself for ones of the internet, which may not ask this machine.
  await context.grantPermissions(['local-network-access']).catch(() => {})
  const window = await newWindow(context)
  const session = await context.newCDPSession(window)
  const { frameTree } = await session.send('Page.getFrameTree')
  const origins = new Set<string>()
  /** What the next page of an origin finds in its storage. */
  const restored = new Map<string, Stored>()
  const underWay = new Map<Request, string>()
  const longPolls = new Set<string>()
  let settings: TabSettings | undefined
  let cookiesThere = ''
  let shown: ({ page: Look['page'] } & Parameters<Screen['show']>[1]) | undefined
  let awaited = ''
  let detour = ''
  let isUsable = true
  let hasBegun = false
  // Called when a request has ended.
  let wake = () => {}
  // Called when the page that is shown leads on, or ends the visit.
  let lead = (_to: Pick<Look, 'onward' | 'ending'>) => {}

  /** The value of an expression in the page; `undefined` when the page is left, or when its script keeps it from answering in time. */
  const ask = (expression: string, ms?: number): Promise<unknown> => {
    const how = { awaitPromise: true, returnByValue: true, userGesture: true }
    const asked = session.send('Runtime.evaluate', { expression, ...how })
    const said = asked.then(({ result }): unknown => result.value).catch(() => undefined)
    return ms === undefined ? said : Promise.race([said, wait(ms, undefined, { ref: false })])
  }

  /** Gives Chromium what the app answered. */
  function fulfill(requestId: string): Promise<unknown> {
    const { page, headers = {} } = shown ?? {}
    awaited = ''
    const others = Object.entries(headers).filter(([name]) => !NOT_SHOWN.test(name))
    const type = `${page?.mediaType || 'text/html'}; charset=utf-8`
    const responseHeaders = [['content-type', type], ...others].map(([name = '', value = '']) => ({ name, value }))
    const body = Buffer.from(page?.text ?? '').toString('base64')
    return session.send('Fetch.fulfillRequest', { requestId, responseCode: page?.status ?? 200, responseHeaders, body })
  }

  session.on('Fetch.requestPaused', ({ requestId, request, frameId, resourceType }) => {
    const reply = (answer: Promise<unknown>) => void answer.catch(() => {})
    const refuse = (errorReason: 'Aborted' | 'BlockedByClient') =>
      reply(session.send('Fetch.failRequest', { requestId, errorReason }))
    if (!settings) return refuse('Aborted')
    const url = new URL(request.url)
    if (resourceType === 'Document' && frameId === frameTree.frame.id) {
      const responseHeaders = [{ name: 'Location', value: detour }]
      if (url.pathname === DETOUR)
        return reply(session.send('Fetch.fulfillRequest', { requestId, responseCode: 302, responseHeaders }))
      if (awaited === request.url) return reply(fulfill(requestId))
      const { method, postData: text = '', headers, urlFragment = '' } = request
      const type = headers['Content-Type']
      const target = webAddress(`${request.url}${urlFragment}`)
      const body = type ? { type, text } : undefined
      // Until the next page is given to Chromium, the page before may still ask for one.
      if (target && awaited === '') lead({ onward: { method: method === 'POST' ? method : 'GET', url: target, body } })
      return refuse('Aborted')
    }
    const { sandboxUrl, parties, note } = settings
    const endpoint = endpointOf(url, sandboxUrl)
    if (endpoint && resourceType === 'Document') {
      const problem = 'your app opens the service in a frame, which is not followed; send the window itself there'
      lead({ ending: { end: 'astray', problem } })
    } else if (endpoint) {
      note(`a script of your app fetches ${endpoint}, and was kept from it: a browser has to be sent there`)
    }
    const isBeyond = webAddress(request.url) && !parties.mayBeApp(url) && parties.partyOf(url, sandboxUrl) !== 'sandbox'
    if (isBeyond) note(`what your pages load from ${url.origin} was not loaded: --this-app-is-mine allows it`)
    if (endpoint || isBeyond || UNREAD.includes(resourceType)) return refuse('BlockedByClient')
    return reply(session.send('Fetch.continueRequest', { requestId }))
  })

  const done = (request: Request) => {
    underWay.delete(request)
    wake()
  }
  window.on('request', (request) => {
    const place = `${request.method()} ${new URL(request.url()).pathname}`
    if (request.isNavigationRequest() || ENDLESS.includes(request.resourceType()) || longPolls.has(place)) return
    hasBegun = true
    underWay.set(request, place)
    const isAsking = request.method() === 'GET' && /^(?:xhr|fetch)$/.test(request.resourceType())
    if (!isAsking || shown?.isCallback) return
    const giveUp = () => {
      if (underWay.has(request)) longPolls.add(place)
      done(request)
    }
    setTimeout(giveUp, LONG_POLL_MS).unref()
  })
  window.on('requestfinished', done)
  window.on('requestfailed', done)
  window.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream')) done(response.request())
  })
  window.on('dialog', (dialog) => {
    const isLeft = dialog.type() === 'beforeunload'
    const said = `${dialog.type()} ${JSON.stringify(dialog.message().slice(0, 80))}`
    if (!isLeft) settings?.note(`your app opens a dialog, which was dismissed: ${said}`)
    ;(isLeft ? dialog.accept() : dialog.dismiss()).catch(() => {})
  })
  window.on('console', (message) => {
    if (!message.text().startsWith('Service Worker registration blocked')) return
    settings?.note('your app registers a service worker, which was not: the audit has to see each request')
  })
  window.on('crash', () => {
    isUsable = false
    lead({ ending: { end: 'dropped', problem: 'the page of your app crashed its tab' } })
  })
  // One that no script opens, such as a link to another window.
  window.on('popup', (popup) => void popup.close().catch(() => {}))
  await session.send('Page.enable')
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: PAGE_SCRIPT })
  await session.send('Fetch.enable')

  /** Opens the address of `shown`. */
  async function goTo(url: string): Promise<void> {
    awaited = withoutFragment(url)
    // Decision: an address that differs by its fragment alone would be no new document, a redirect to it is.
    const isSame = url.includes('#') && withoutFragment(window.url()) === awaited
    detour = url
    await window.goto(isSame ? new URL(DETOUR, url).href : url, { waitUntil: 'commit', timeout: 0 })
  }

  /**
   * What the page says once no request is under way and it neither changes nor computes, or when it leads on before.
   * @param act shows the page, or presses something on it: the page may lead on before that has ended
   */
  async function look(act: () => Promise<unknown>): Promise<Look> {
    if (!settings || !shown) throw new Error('no visit has begun')
    const { signal, cookies, begin, keep } = settings
    const { page, isCallback } = shown
    const click = begin && 'click' in begin ? begin.click : ''
    let isOver = false
    const led = new Promise<Pick<Look, 'onward' | 'ending'>>((resolve) => (lead = resolve))
    const rest = async () => {
      let said: unknown
      // A script of the page before may have gone elsewhere just now.
      await act().catch(() => (isOver ? undefined : act()))
      do {
        while (underWay.size > 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
        hasBegun = false
        said = await ask(callOf('rest', isCallback, click))
      } while ((hasBegun || underWay.size > 0) && !isOver)
      return { said }
    }
    const onAbort = async () => {
      isUsable = false
      const [place] = underWay.values()
      const unrest = place === undefined ? await ask(callOf('unrest'), 500) : `${place} is not answered`
      lead({ ending: { end: 'restless', problem: String(unrest ?? 'its script runs for ever') } })
    }
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const end = await Promise.race([led, rest()])
    signal.removeEventListener('abort', onAbort)
    isOver = true
    const { said, ...to } = 'said' in end ? end : { ...end, said: await ask(callOf('see', click), 1000) }
    const { cookies: cookiesNow } = await session.send('Network.getAllCookies')
    const before = new Set(cookies.all().map(identityOf))
    cookies.replace(cookiesNow)
    cookiesThere = JSON.stringify(cookies.all())
    const seen = seenSchema.safeParse(said).data
    if (seen) keep(new URL(seen.url).origin, seen.stored)
    return {
      ...to,
      page: seen ? { ...page, url: seen.url, text: seen.html } : page,
      ways: seen?.ways.map((way, index) => ({ ...way, press: () => look(() => ask(callOf('press', index))) })) ?? [],
      cookies: cookiesNow.filter((cookie) => !before.has(identityOf(cookie))).map(({ name }) => name),
    }
  }

  return {
    /** @param stored what the tab has to keep, when another browser had it before */
    async begin(next: TabSettings, stored?: Storage): Promise<void> {
      settings = next
      // A script of the page before may have set one.
      cookiesThere = ''
      if (!stored) return
      await session.send('Network.clearBrowserCache')
      const storageTypes = 'indexeddb,cache_storage'
      for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes })
      restored.clear()
      for (const origin of [...origins, ...Object.keys(stored)])
        restored.set(origin, stored[origin] ?? { local: {}, session: {} })
    },
    async show(...[page, at]: Parameters<Screen['show']>): Promise<Look> {
      const { origin } = new URL(page.url)
      const cookies = settings?.cookies.all() ?? []
      if (cookiesThere !== JSON.stringify(cookies)) {
        await session.send('Network.clearBrowserCookies')
        // One that Chromium refuses leaves the others.
        await Promise.all(cookies.map((cookie) => session.send('Network.setCookie', cookie).catch(() => {})))
      }
      underWay.clear()
      shown = { page, ...at }
      origins.add(origin)
      const kept = restored.get(origin)
      restored.delete(origin)
      const source = kept && restoringScript(kept)
      const script = source && (await session.send('Page.addScriptToEvaluateOnNewDocument', { source }))
      const seen = await look(() => goTo(page.url))
      if (script) await session.send('Page.removeScriptToEvaluateOnNewDocument', script)
      return seen
    },
    /** Lets the page ask for nothing more. Returns whether the tab can be used again. */
    end(): boolean {
      settings = undefined
      return isUsable
    },
    close: () => context.close(),
  }
}

/** A tab that no window draws, which halves the work of a headless Chromium; an ordinary tab when there are no hidden ones. */
async function newWindow(context: BrowserContext): Promise<Window> {
  const ordinary = await context.newPage()
  const session = await context.newCDPSession(ordinary)
  const { targetInfo } = await session.send('Target.getTargetInfo')
  const browser = await context.browser()?.newBrowserCDPSession()
  const version = await browser?.send('Browser.getVersion')
  if (!browser || !version?.userAgent.includes('Headless')) return ordinary
  const { browserContextId = '' } = targetInfo
  const opened = context.waitForEvent('page', { timeout: 2000 })
  const created = browser.send('Target.createTarget', { url: 'about:blank', hidden: true, browserContextId })
  const [hidden] = await Promise.allSettled([opened, created])
  if (hidden.status === 'rejected') return ordinary
  await ordinary.close()
  return hidden.value
}

const withoutFragment = (url: string) => url.split('#', 1).join()

const identityOf = ({ name, domain, path, value }: Parameters<Cookies['replace']>[0][number]) =>
  JSON.stringify([name, domain, path, value])
