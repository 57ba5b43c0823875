import { setTimeout as wait } from 'node:timers/promises'
import { aborted } from 'node:util'
import type { BrowserContext, Browser as Chromium, Request, Page as Window } from 'playwright-core'
import type { VisitOptions } from '../browser.ts'
import type { Cookies } from '../cookies.ts'
import type { Look, Screen } from '../http-agent.ts'
import { USER_AGENT, webAddress } from '../navigation.ts'
import { endpointOf, type Parties } from '../parties.ts'
import { callOf, PAGE_SCRIPT, restoringScript, seenSchema } from './page-script.ts'

/** What the pages of one browser have stored, by origin: now, and when the last answer of the sandbox came. */
export interface Memory {
  stored: Stored
  before: Stored
}
type Stored = Readonly<Record<string, readonly string[]>>

interface TabVisit extends Pick<VisitOptions, 'sandboxUrl' | 'signal' | 'begin'> {
  readonly parties: Parties
  readonly cookies: Cookies
  /** Another object when something in it was changed by others than pages. */
  readonly memory: Memory
  note(line: string): void
  /** What scripts ask for by GET. */
  readonly asked: Set<string>
}

/** A tab that shows the pages of one visit after the other. */
export type Tab = Awaited<ReturnType<typeof openTab>>

/** How a look ends: where the page leads, or what it said at rest. */
type Lead = Pick<Look, 'onward' | 'ending'> & { readonly said?: unknown }

/** What shows nothing that the audit could read. */
const UNREAD: readonly string[] = ['Image', 'Media', 'Font']
/** Requests that never end. */
const ENDLESS: readonly string[] = ['eventsource', 'websocket', 'ping', 'cspreport']
/** A GET of a script that is not answered for so long waits for news, unless the page was given the answer of the sandbox. */
const LONG_POLL_MS = 5000
/** A page whose script does not run for ever answers a question in this time. */
const PATIENCE_MS = 3000
/** Headers of the connection, or of what the audit has done itself. */
const NOT_SHOWN =
  /^(?:connection|keep-alive|content-(?:length|encoding|type|disposition)|transfer-encoding|set-cookie)$/

/**
 * Opens a tab. The audit makes each request of the window itself and gives Chromium the last answer, so that a flow goes the same way
 * with scripts and without.
 *
 * Playwright's own calls do what they can. Chromium's protocol does the rest: `route` sees neither redirects nor preflights and reports
 * a request after the page may seem to rest; `cookies` takes cookies without SameSite for Lax; an init script cannot be removed; no tab
 * can be hidden.
 */
export async function openTab(
  chromium: Chromium,
  { anyCertificate = false }: { anyCertificate?: boolean | undefined },
) {
  const context = await chromium.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    ignoreHTTPSErrors: anyCertificate,
    locale: 'en-US',
    userAgent: USER_AGENT,
  })
  // Chromium takes pages that it did not load itself for ones of the internet, which may not ask this machine.
  await context.grantPermissions(['local-network-access']).catch(() => {})
  const window = await newWindow(chromium, context)
  const session = await context.newCDPSession(window)
  const { frameTree } = await session.send('Page.getFrameTree')
  const underWay = new Map<Request, string>()
  const longPolls = new Set<string>()
  let memory: Memory | undefined
  /** Origins that keep what is in `memory`. */
  const restored = new Set<string>()
  let shown: { page: Look['page']; at: Parameters<Screen['show']>[1]; visit: TabVisit } | undefined
  /** The address of `shown`, until Chromium has asked for it. */
  let awaited: string | undefined
  let isUsable = true
  let hasBegun = false
  // Called when a request has ended.
  let wake = () => {}
  // Called when the page that is shown leads on, or ends the visit.
  let lead = (_to: Lead) => {}

  /** The value of an expression in the page; `undefined` when the page is left, or when its script keeps it from answering in time. */
  const ask = (expression: string): Promise<unknown> =>
    Promise.race([window.evaluate(expression).catch(() => {}), wait(PATIENCE_MS, undefined, { ref: false })])

  session.on('Fetch.requestPaused', ({ requestId, request, frameId, resourceType }) => {
    const refuse = (errorReason: 'Aborted' | 'BlockedByClient') =>
      void session.send('Fetch.failRequest', { requestId, errorReason }).catch(() => {})
    if (!shown) return refuse('Aborted')
    const { page, at, visit } = shown
    const { sandboxUrl, parties, note } = visit
    const url = new URL(request.url)
    if (resourceType === 'Document' && frameId === frameTree.frame.id) {
      if (awaited === request.url) {
        awaited = undefined
        const type = `${page.mediaType || 'text/html'}; charset=utf-8`
        const others = Object.entries(at.headers).filter(([name]) => !NOT_SHOWN.test(name))
        const responseHeaders = [['content-type', type], ...others].map(([name = '', value = '']) => ({ name, value }))
        const answer = { responseCode: page.status, responseHeaders, body: Buffer.from(page.text).toString('base64') }
        return void session.send('Fetch.fulfillRequest', { requestId, ...answer }).catch(() => {})
      }
      const { method, postData: text = '', urlFragment = '' } = request
      const type = request.headers['Content-Type']
      const target = webAddress(`${request.url}${urlFragment}`)
      const onward = { method: method === 'POST' ? method : 'GET', body: type ? { type, text } : undefined } as const
      // Until Chromium has asked for the next page, the page before may still lead on.
      if (target && awaited === undefined) lead({ onward: { ...onward, url: target } })
      return refuse('Aborted')
    }
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
    session.send('Fetch.continueRequest', { requestId }).catch(() => {})
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
    if (isAsking) shown?.visit.asked.add(request.url())
    if (!isAsking || shown?.at.isCallback) return
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
    if (!isLeft) shown?.visit.note(`your app opens a dialog, which was dismissed: ${said}`)
    ;(isLeft ? dialog.accept() : dialog.dismiss()).catch(() => {})
  })
  window.on('console', (message) => {
    if (!message.text().startsWith('Service Worker registration blocked')) return
    shown?.visit.note('your app registers a service worker, which was not: the audit has to see each request')
  })
  window.on('crash', () => {
    isUsable = false
    lead({ ending: { end: 'dropped', problem: 'the page of your app crashed its tab' } })
  })
  // One that no script opens, such as a link to another window.
  window.on('popup', (popup) => void popup.close().catch(() => {}))
  await window.addInitScript(PAGE_SCRIPT)
  await session.send('Page.enable')
  await session.send('Fetch.enable')

  async function goTo(url: string): Promise<void> {
    awaited = withoutFragment(url)
    // An address that differs by its fragment alone would be no new document.
    if (withoutFragment(window.url()) === awaited)
      await ask(`history.replaceState(null, '', location.origin + '/agekey-sandbox-audit')`)
    await window.goto(url, { waitUntil: 'commit', timeout: 0 })
  }

  /**
   * What the page says once no request is under way and it neither changes nor computes, or when it leads on before.
   * @param act shows the page, or presses something on it: the page may lead on before that has ended
   */
  async function look(act: () => Promise<unknown>, { page, at, visit }: NonNullable<typeof shown>): Promise<Look> {
    const { signal, cookies, memory, begin } = visit
    const click = begin && 'click' in begin ? begin.click : ''
    let isOver = false
    const led = new Promise<Lead>((resolve) => (lead = resolve))
    const rest = async (): Promise<Lead> => {
      let said: unknown
      // A script of the page before may have gone elsewhere just now.
      await act().catch(() => (isOver ? undefined : act()))
      do {
        while (underWay.size > 0 && !isOver) await new Promise<void>((resolve) => (wake = resolve))
        hasBegun = false
        said = await window.evaluate(callOf('rest', at.isCallback, click)).catch(() => {})
      } while ((hasBegun || underWay.size > 0) && !isOver)
      return { said }
    }
    const late = aborted(signal, signal).then((): Lead => ({ ending: { end: 'restless' } }))
    const { said, onward, ending } = await Promise.race([led, rest(), late])
    isOver = true
    if (ending?.end === 'restless') isUsable = false
    const [place] = underWay.values()
    const seen = seenSchema.safeParse(said ?? (await ask(callOf('see', click)))).data
    const problem = place ? `${place} is not answered` : (seen?.unrest ?? 'its script runs for ever')
    const kept = await session.send('Network.getAllCookies')
    if (seen) memory.stored = { ...memory.stored, [new URL(seen.url).origin]: seen.stored }
    const press = (index: number) => look(() => ask(callOf('press', index)), { page, at, visit })
    return {
      onward,
      ending: ending && { problem, ...ending },
      page: seen ? { ...page, url: seen.url, text: seen.html } : page,
      ways: seen?.ways.map((way, index) => ({ ...way, press: () => press(index) })) ?? [],
      cookies: cookies.replace(kept.cookies),
    }
  }

  return {
    async show(...[page, at, visit]: [...Parameters<Screen['show']>, visit: TabVisit]): Promise<Look> {
      const { origin } = new URL(page.url)
      await context.clearCookies()
      // One that Chromium refuses leaves the others.
      await Promise.all(visit.cookies.all().map((cookie) => context.addCookies([cookie]).catch(() => {})))
      if (memory !== visit.memory) {
        restored.clear()
        await session.send('Network.clearBrowserCache')
      }
      memory = visit.memory
      if (at.answered && !shown?.at.answered) memory.before = memory.stored
      underWay.clear()
      shown = { page, at, visit }
      const show = () => goTo(page.url)
      if (restored.has(origin)) return look(show, shown)
      restored.add(origin)
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb,cache_storage' })
      const source = restoringScript(memory.stored[origin])
      const script = await session.send('Page.addScriptToEvaluateOnNewDocument', { source })
      const seen = await look(show, shown)
      await session.send('Page.removeScriptToEvaluateOnNewDocument', script)
      return seen
    },
    /** Lets the page ask for nothing more. Returns whether the tab can be used again; else it is closed. */
    end(): boolean {
      shown = undefined
      if (!isUsable) context.close().catch(() => {})
      return isUsable
    },
  }
}

/** A tab that no window draws, which halves the work of a headless Chromium; an ordinary tab when there are no hidden ones. */
async function newWindow(chromium: Chromium, context: BrowserContext): Promise<Window> {
  const ordinary = await context.newPage()
  const browser = await chromium.newBrowserCDPSession()
  const { userAgent } = await browser.send('Browser.getVersion')
  if (!userAgent.includes('Headless')) return ordinary
  const { targetInfo } = await (await context.newCDPSession(ordinary)).send('Target.getTargetInfo')
  const { browserContextId = '' } = targetInfo
  const opened = context.waitForEvent('page', { timeout: 5000 }).catch(() => undefined)
  await browser.send('Target.createTarget', { url: 'about:blank', hidden: true, browserContextId }).catch(() => {})
  const hidden = await opened
  if (hidden) await ordinary.close()
  return hidden ?? ordinary
}

const withoutFragment = (url: string) => url.split('#', 1).join()
