import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext, Request } from 'playwright-core'
import type { Page, VisitOptions } from '../browser.ts'
import type { ChromiumCookie, Cookies } from '../cookies.ts'
import type { Look, Screen } from '../http-agent.ts'
import { webAddress } from '../navigation.ts'
import { endpointOf, type Parties } from '../parties.ts'
import { callOf, PAGE_SCRIPT, type Stored, seenSchema } from './page-script.ts'

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
export interface Tab extends Screen {
  /** @param stored what the tab has to keep, when another browser had it before */
  begin(settings: TabSettings, stored?: Storage): Promise<void>
  /** Ends what the page still does. Returns whether the tab can be used again. */
  end(): Promise<boolean>
  close(): Promise<void>
}

/** A page of no app, below the origin of an app. */
const EMPTY = '/agekey-sandbox-audit-empty-page'
/** A tab that shows no empty page after so long hangs. */
const EMPTY_MS = 5000
/** What shows nothing that a judge could read. */
const UNREAD: readonly string[] = ['Image', 'Media', 'Font']
/** Requests that never end. */
const ENDLESS: readonly string[] = ['eventsource', 'websocket', 'ping', 'cspreport']
/** A GET of a script that is not answered for so long waits for news, unless the page was given the answer of the sandbox. */
const LONG_POLL_MS = 3000
/** Headers of the connection, or of what the audit has done itself. */
const NOT_SHOWN =
  /^(?:connection|keep-alive|content-(?:length|encoding|type|disposition)|transfer-encoding|set-cookie)$/

/** A request that Chromium holds back before it is sent. */
interface Paused {
  readonly requestId: string
  readonly request: {
    url: string
    urlFragment?: string
    method: string
    headers: Record<string, string>
    postData?: string
  }
  readonly frameId: string
  readonly resourceType: string
}

/**
 * Opens a tab. The audit makes each request of the window itself and gives Chromium the last answer, so that a flow goes the same way
 * with scripts and without. By the DevTools protocol: the routes of Playwright do not see redirects, and answer preflights themselves.
 */
export async function openTab(context: BrowserContext): Promise<Tab> {
  // Chromium takes pages that it did not load itself for ones of the internet, which may not ask this machine.
  await context.grantPermissions(['local-network-access']).catch(() => {})
  const window = await context.newPage()
  const session = await context.newCDPSession(window)
  const { frameTree } = await session.send('Page.getFrameTree')
  /** Of the app, with what pages stored there. */
  const origins = new Set<string>()
  const underWay = new Map<Request, string>()
  const longPolls = new Set<string>()
  let settings: TabSettings | undefined
  let cookiesThere = '[]'
  let shown: { page: Page; headers: Readonly<Record<string, string | undefined>>; isCallback: boolean } | undefined
  let awaited: string | undefined
  let hasBegun = false
  // Called when a request has ended.
  let wake = () => {}
  // Called when the page that is shown leads on, or ends the visit.
  let lead = (_to: Pick<Look, 'onward' | 'ending'>) => {}

  const ask = async (expression: string, ms?: number): Promise<unknown> => {
    const said = window.evaluate(expression).catch(() => undefined)
    // The script of a page may run for ever.
    return ms === undefined ? said : Promise.race([said, wait(ms, undefined, { ref: false })])
  }

  async function take({ requestId, request, frameId, resourceType }: Paused): Promise<unknown> {
    const refuse = (errorReason: 'Aborted' | 'BlockedByClient') =>
      session.send('Fetch.failRequest', { requestId, errorReason })
    const url = new URL(request.url)
    if (resourceType === 'Document' && frameId === frameTree.frame.id) {
      if (awaited === request.url) return fulfill(requestId)
      const { method, postData: text = '', headers, urlFragment = '' } = request
      const type = headers['Content-Type'] ?? ''
      const target = webAddress(`${request.url}${urlFragment}`)
      if (target)
        lead({
          onward: { method: method === 'POST' ? method : 'GET', url: target, ...(type && { body: { type, text } }) },
        })
      return refuse('Aborted')
    }
    if (!settings) return refuse('Aborted')
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
    return session.send('Fetch.continueRequest', { requestId })
  }

  function fulfill(requestId: string): Promise<unknown> {
    const { page, headers = {} } = awaited?.endsWith(EMPTY) ? {} : (shown ?? {})
    awaited = undefined
    const others = Object.entries(headers).filter(([name]) => !NOT_SHOWN.test(name))
    const type = `${page?.mediaType || 'text/html'}; charset=utf-8`
    return session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: page?.status ?? 200,
      responseHeaders: [['content-type', type], ...others].map(([name = '', value = '']) => ({ name, value })),
      body: Buffer.from(page?.text ?? '').toString('base64'),
    })
  }

  /** Opens an address whose answer is in `shown`; an empty page when there is none. */
  async function goTo(url: string, timeout = 0): Promise<void> {
    awaited = url.split('#', 1).join()
    // An address that differs by its fragment alone would be no new document.
    if (window.url().split('#', 1).join() === awaited) await goHome(new URL(url).origin)
    awaited = url.split('#', 1).join()
    await window.goto(url, { waitUntil: 'commit', timeout })
  }

  async function goHome(origin: string): Promise<void> {
    awaited = `${origin}${EMPTY}`
    if (window.url() !== awaited) await window.goto(awaited, { waitUntil: 'commit', timeout: EMPTY_MS })
  }

  function began(request: Request): void {
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
  }

  function done(request: Request): void {
    underWay.delete(request)
    wake()
  }

  /** What the page says once no request is under way and it neither changes nor computes, or when it leads on before. */
  async function look(act?: string): Promise<Look> {
    if (!settings || !shown) throw new Error('no visit has begun')
    const { signal, cookies, begin, keep } = settings
    const { page, isCallback } = shown
    let isOver = false
    const led = new Promise<Pick<Look, 'onward' | 'ending'>>((resolve) => (lead = resolve))
    const rest = async () => {
      if (act !== undefined) await ask(act)
      do {
        while (underWay.size > 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
        hasBegun = false
        await ask(callOf('rest', isCallback))
      } while ((hasBegun || underWay.size > 0) && !isOver)
      return {}
    }
    const onAbort = async () => {
      const [place] = underWay.values()
      const unrest = place === undefined ? await ask(callOf('unrest'), 500) : `${place} is not answered`
      lead({ ending: { end: 'restless', problem: String(unrest ?? 'its script runs for ever') } })
    }
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) onAbort()
    const to = await Promise.race([led, rest()])
    signal.removeEventListener('abort', onAbort)
    isOver = true
    const click = begin && 'click' in begin ? begin.click : ''
    const [said, cookiesNow] = await Promise.all([
      ask(callOf('see', click), 1000),
      session.send('Network.getAllCookies').then((all) => all.cookies),
    ])
    const before = new Set(cookies.all().map(identityOf))
    cookies.replace(cookiesNow)
    cookiesThere = JSON.stringify(cookies.all())
    const seen = seenSchema.safeParse(said).data
    if (seen) keep(new URL(seen.url).origin, seen.stored)
    return {
      ...to,
      page: seen ? { ...page, url: seen.url, text: seen.html } : page,
      ways: seen?.ways.map((way, index) => ({ ...way, press: () => look(callOf('press', index)) })) ?? [],
      cookies: cookiesNow.filter((cookie) => !before.has(identityOf(cookie))).map(({ name }) => name),
    }
  }

  async function putCookies(cookies: readonly ChromiumCookie[]): Promise<void> {
    if (cookiesThere === JSON.stringify(cookies)) return
    await context.clearCookies()
    // One that Chromium refuses leaves the others.
    await Promise.all(cookies.map((cookie) => session.send('Network.setCookie', cookie).catch(() => {})))
  }

  session.on('Fetch.requestPaused', (paused) => void take(paused).catch(() => {}))
  window.on('request', began)
  window.on('requestfinished', done)
  window.on('requestfailed', done)
  window.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream')) done(response.request())
  })
  window.on('dialog', (dialog) => {
    const said = `${dialog.type()} ${JSON.stringify(dialog.message().slice(0, 80))}`
    const isLeft = dialog.type() === 'beforeunload'
    if (!isLeft) settings?.note(`your app opens a dialog, which was dismissed: ${said}`)
    ;(isLeft ? dialog.accept() : dialog.dismiss()).catch(() => {})
  })
  window.on('console', (message) => {
    if (!message.text().startsWith('Service Worker registration blocked')) return
    settings?.note('your app registers a service worker, which was not: the audit has to see each request')
  })
  window.on('crash', () => lead({ ending: { end: 'dropped', problem: 'the page of your app crashed its tab' } }))
  // One that no script opens, such as a link to another window.
  window.on('popup', (popup) => void popup.close().catch(() => {}))
  await window.addInitScript(PAGE_SCRIPT)
  await session.send('Fetch.enable')

  return {
    async begin(next, stored) {
      settings = next
      if (!stored) return
      await session.send('Network.clearBrowserCache')
      for (const origin of new Set([...origins, ...Object.keys(stored)])) {
        await goHome(origin)
        await ask(callOf('restore', stored[origin] ?? { local: {}, session: {} }))
      }
      origins.clear()
      for (const origin of Object.keys(stored)) origins.add(origin)
    },
    async show(page, { headers, isCallback }) {
      await putCookies(settings?.cookies.all() ?? [])
      underWay.clear()
      shown = { page, headers, isCallback }
      origins.add(new URL(page.url).origin)
      // A script of the page before may have gone elsewhere just now.
      await goTo(page.url).catch(() => goTo(page.url, EMPTY_MS))
      return look()
    },
    async end() {
      settings = undefined
      const { origin } = new URL(window.url())
      return (
        origin === 'null' ||
        goHome(origin)
          .then(() => true)
          .catch(() => false)
      )
    },
    close: () => context.close(),
  }
}

const identityOf = ({ name, domain, path, value }: ChromiumCookie) => JSON.stringify([name, domain, path, value])
