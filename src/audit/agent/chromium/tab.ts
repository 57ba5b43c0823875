import { setTimeout as wait } from 'node:timers/promises'
import { aborted } from 'node:util'
import type { BrowserContext, Browser as Chromium, Request, Page as Window } from 'playwright-core'
import type { HttpAgentOptions, Look, Showing } from '../http-agent.ts'
import { USER_AGENT } from '../onward.ts'
import { calledEndpoint } from '../parties.ts'
import { callOf, PAGE_SCRIPT, restoringScript, seenSchema } from './page-script.ts'

export interface Shown extends Showing {
  /**
   * The storage of the pages of one browser, now and at the last answer. Another object means that
   * others than pages changed it.
   */
  readonly memory: { stored: readonly string[]; before: readonly string[] }
  /** GET requests of scripts. */
  readonly asked: Set<string>
}

/** How a look ends: with the next page, or with what the page says at rest. */
type Lead = Pick<Look, 'onward' | 'ending'> & { readonly said?: unknown }

const ENDLESS: readonly string[] = ['eventsource', 'websocket', 'ping', 'cspreport']
/**
 * Milliseconds after which an unanswered `GET` of a script counts as a long poll; on the callback
 * page it never does. A page that does not answer the audit in this time is in an endless loop.
 */
const MAX_WAIT_MS = 5000

/**
 * Opens a tab. The audit makes each request of the window itself and gives Chromium the last
 * answer, so that a flow goes the same way with scripts and without. It uses the protocol of
 * Chromium, because Playwright's own calls fall short: `route` sees neither redirects nor
 * preflights and reports a request after the page may seem to rest; `cookies` takes cookies without
 * SameSite for Lax; an init script cannot be removed; no tab can be hidden.
 */
export async function openTab(
  chromium: Chromium,
  { anyCertificate = false }: HttpAgentOptions,
  notes: Set<string>,
) {
  const context = await chromium.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    ignoreHTTPSErrors: anyCertificate,
    locale: 'en-US',
    userAgent: USER_AGENT,
  })
  // Chromium takes pages that it did not load itself for pages of the internet, which may not call
  // this machine.
  await context.grantPermissions(['local-network-access']).catch(() => {})
  const window = await newWindow(chromium, context)
  const session = await context.newCDPSession(window)
  const { frameTree } = await session.send('Page.getFrameTree')
  const underWay = new Map<Request, string>()
  const longPolls = new Set<string>()
  /** The storage of this tab, and the origins that keep its entries. */
  const restored = new Set<Shown['memory'] | string>()
  let shown: Shown | undefined
  /** The URL of `shown`, until Chromium has requested it. */
  let awaited: string | undefined
  let isUsable = true
  let hasBegun = false
  // Called when the page leads on, or ends the visit.
  let lead = (_to: Lead) => {}

  /**
   * The value of an expression in the page; `undefined` when the page is left, or when its script
   * blocks the answer.
   */
  const ask = (expression: string): Promise<unknown> =>
    Promise.race([
      window.evaluate(expression).catch(() => {}),
      wait(MAX_WAIT_MS, undefined, { ref: false }),
    ])

  session.on('Fetch.requestPaused', ({ requestId, request, frameId, resourceType }) => {
    const refuse = (errorReason: 'Aborted' | 'BlockedByClient') =>
      void session.send('Fetch.failRequest', { requestId, errorReason }).catch(() => {})
    if (!shown) return refuse('Aborted')
    const { page, sandboxUrl, parties } = shown
    const { url: address, urlFragment = '', method, postData: text = '' } = request
    const url = new URL(address + urlFragment)
    if (resourceType === 'Document' && frameId === frameTree.frame.id) {
      if (awaited === address) {
        awaited = undefined
        const all = {
          ...shown.headers,
          'content-type': `${page.mediaType || 'text/html'}; charset=utf-8`,
        }
        // The text is decoded and complete, and no download.
        const kept = Object.entries(all).filter(
          ([name]) => !/-(?:length|encoding|disposition)$/.test(name),
        )
        const responseHeaders = kept.map(([name, value = '']) => ({ name, value }))
        const answer = {
          responseCode: page.status,
          responseHeaders,
          body: Buffer.from(page.text).toString('base64'),
        }
        return void session.send('Fetch.fulfillRequest', { requestId, ...answer }).catch(() => {})
      }
      const type = request.headers['Content-Type']
      const body = type ? { type, text } : undefined
      // Until Chromium has requested the next page, the page before may still lead on.
      if (awaited === undefined)
        lead({ onward: { method: method === 'POST' ? method : 'GET', url, body } })
      return refuse('Aborted')
    }
    const endpoint = calledEndpoint(url, sandboxUrl)
    if (endpoint && resourceType === 'Document') {
      const problem =
        'your app opens the service in a frame, which is not followed; send the window itself there'
      lead({ ending: { end: 'astray', problem } })
    } else if (endpoint) {
      notes.add(
        `a script of your app fetches ${endpoint}, and was kept from it: a browser has to be sent there`,
      )
    }
    const isBeyond = !parties.mayBeApp(url) && parties.partyOf(url, sandboxUrl) !== 'sandbox'
    if (isBeyond)
      notes.add(
        `what your pages load from ${url.origin} was not loaded: --this-app-is-mine allows it`,
      )
    // Resources that show nothing to the audit are not loaded.
    if (endpoint || isBeyond || /^(?:Image|Media|Font)$/.test(resourceType))
      return refuse('BlockedByClient')
    session.send('Fetch.continueRequest', { requestId }).catch(() => {})
  })

  const done = (request: Request) => underWay.delete(request)
  window.on('request', (request) => {
    const place = `${request.method()} ${new URL(request.url()).pathname}`
    if (
      request.isNavigationRequest() ||
      ENDLESS.includes(request.resourceType()) ||
      longPolls.has(place)
    )
      return
    hasBegun = true
    underWay.set(request, place)
    if (request.method() !== 'GET' || !/^(?:xhr|fetch)$/.test(request.resourceType())) return
    shown?.asked.add(request.url())
    const giveUp = () => void (done(request) && longPolls.add(place))
    if (!shown?.isCallback) setTimeout(giveUp, MAX_WAIT_MS).unref()
  })
  window.on('requestfinished', done)
  window.on('requestfailed', done)
  window.on('response', (response) => {
    if (response.headers()['content-type']?.startsWith('text/event-stream'))
      done(response.request())
  })
  // Without a listener of its own, Playwright dismisses dialogs.
  session.on('Page.javascriptDialogOpening', ({ type, message }) => {
    const said = `${type} ${JSON.stringify(message.slice(0, 80))}`
    if (type !== 'beforeunload') notes.add(`your app opens a dialog, which was dismissed: ${said}`)
  })
  window.on('console', (message) => {
    if (message.text().startsWith('Service Worker registration blocked'))
      notes.add(
        'your app registers a service worker, which was not: the audit has to see each request',
      )
  })
  window.on('crash', () => {
    isUsable = false
    lead({ ending: { end: 'dropped', problem: 'the page of your app crashed its tab' } })
  })
  // A popup that no script opens, such as that of a link to another window.
  window.on('popup', (popup) => void popup.close().catch(() => {}))
  await window.addInitScript(PAGE_SCRIPT)
  await session.send('Page.enable')
  await session.send('Fetch.enable', { patterns: [{ urlPattern: 'http*' }] })

  /**
   * What the page says at rest, or its next page if it leads on before.
   * @param act shows the page, or presses something on it
   */
  async function look(act: () => Promise<unknown>, of: Shown): Promise<Look> {
    const { page, isCallback, signal, cookies, memory, begin } = of
    let isOver = false
    const led = new Promise<Lead>((resolve) => (lead = resolve))
    const rest = async (): Promise<Lead> => {
      let said: unknown
      // A script of the page before may just have led elsewhere.
      await act().catch(() => (isOver ? undefined : act()))
      do {
        while (underWay.size > 0 && !isOver) await wait(5)
        hasBegun = false
        said = await window.evaluate(callOf('rest', isCallback, begin)).catch(() => {})
      } while ((hasBegun || underWay.size > 0) && !isOver)
      return { said }
    }
    const late = aborted(signal, signal).then((): Lead => ({ ending: { end: 'restless' } }))
    const { said, onward, ending } = await Promise.race([led, rest(), late])
    isOver = true
    if (ending?.end === 'restless') isUsable = false
    const [place] = underWay.values()
    const seen = seenSchema.safeParse(said ?? (await ask(callOf('see', begin)))).data
    const problem = place
      ? `${place} is not answered`
      : (seen?.unrest ?? 'its script runs for ever')
    const kept = await session.send('Network.getAllCookies')
    const { origin } = new URL(seen?.url ?? page.url)
    if (seen)
      memory.stored = [
        ...memory.stored.filter((one) => JSON.parse(one)[0] !== origin),
        ...seen.stored,
      ]
    const press = (index: number) => look(() => ask(callOf('press', index)), of)
    return {
      onward,
      ending: ending && { problem, ...ending },
      page: seen ? { ...page, url: seen.url, text: seen.html } : page,
      ways: seen?.ways.map((way, index) => ({ ...way, press: () => press(index) })) ?? [],
      cookies: cookies.app.replace(kept.cookies),
    }
  }

  return {
    async show(next: Shown): Promise<Look> {
      const { page, answered, cookies, memory } = next
      const { origin } = new URL(page.url)
      await context.clearCookies()
      // If Chromium refuses a cookie, the others are still set.
      await Promise.all(
        cookies.app.all().map((cookie) => context.addCookies([cookie]).catch(() => {})),
      )
      if (!restored.has(memory)) {
        restored.clear()
        restored.add(memory)
        await session.send('Network.clearBrowserCache')
      }
      if (answered && !shown?.answered) memory.before = memory.stored
      underWay.clear()
      shown = next
      const goTo = async () => {
        awaited = page.url.split('#')[0]
        // A URL that differs only in its fragment would open no new document.
        if (window.url().split('#')[0] === awaited)
          await ask(`history.replaceState(null, '', location.origin + '/agekey-sandbox-audit')`)
        await window.goto(page.url, { waitUntil: 'commit', timeout: 0 })
      }
      if (restored.has(origin)) return look(goTo, next)
      restored.add(origin)
      await session.send('Storage.clearDataForOrigin', {
        origin,
        storageTypes: 'indexeddb,cache_storage',
      })
      const source = restoringScript(memory.stored)
      const script = await session.send('Page.addScriptToEvaluateOnNewDocument', { source })
      return look(goTo, next).finally(() =>
        session.send('Page.removeScriptToEvaluateOnNewDocument', script),
      )
    },
    /**
     * Blocks all further requests of the page.
     * @returns whether the tab can be used again; otherwise it is closed
     */
    end(): boolean {
      shown = undefined
      if (!isUsable) context.close().catch(() => {})
      return isUsable
    },
  }
}

/**
 * A tab that no window draws, which halves the work of a headless Chromium; an ordinary tab if
 * there are no hidden ones.
 */
async function newWindow(chromium: Chromium, context: BrowserContext): Promise<Window> {
  const ordinary = await context.newPage()
  const browser = await chromium.newBrowserCDPSession()
  const { userAgent } = await browser.send('Browser.getVersion')
  if (!userAgent.includes('Headless')) return ordinary
  const { targetInfo } = await (await context.newCDPSession(ordinary)).send('Target.getTargetInfo')
  const { browserContextId = '' } = targetInfo
  const opened = context.waitForEvent('page', { timeout: 5000 }).catch(() => {})
  const target = { url: 'about:blank', hidden: true, browserContextId }
  const [hidden] = await Promise.all([
    opened,
    browser.send('Target.createTarget', target).catch(() => {}),
  ])
  if (hidden) await ordinary.close()
  return hidden ?? ordinary
}
