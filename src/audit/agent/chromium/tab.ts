import { setTimeout as wait } from 'node:timers/promises'
import { aborted } from 'node:util'
import type { Browser as Chromium } from 'playwright-core'
import type { HttpAgentOptions } from '../http-agent.ts'
import type { RestingPage } from '../resting-page.ts'
import { interceptRequests } from './intercept-requests.ts'
import { openWindow } from './open-window.ts'
import { callOf, PAGE_SCRIPT, restoringScript, type SeenPage, seenSchema } from './page-script.ts'
import { trackRequests } from './pending-requests.ts'
import type { Lead, PageStorage, TabPage, TabState } from './tab-state.ts'

/** A tab of Chromium. It shows the pages of one visit at a time. */
export interface Tab {
  /** Shows a page until the page rests, leads on, or ends the visit. */
  show(page: TabPage): Promise<RestingPage>
  /**
   * Ends the visit: further requests of the page are blocked.
   * @returns whether another visit can use the tab; otherwise the tab is closed
   */
  end(): boolean
}

/** Milliseconds that a page may take to answer the audit. Later it counts as an endless loop. */
const MAX_WAIT_MS = 5000

/**
 * Opens a tab. The HTTP agent makes each request of the window and passes the response to Chromium,
 * so a flow takes the same path with and without scripts. The tab uses the Chrome DevTools Protocol
 * where the Playwright API does not suffice:
 * - `route` sees neither redirects nor preflights, and reports requests too late
 * - `cookies` reports a cookie without SameSite as Lax
 * - an init script cannot be removed
 * - a tab cannot be hidden
 */
export async function openTab(
  chromium: Chromium,
  { anyCertificate = false }: HttpAgentOptions,
  notes: Set<string>,
): Promise<Tab> {
  const window = await openWindow(chromium, anyCertificate)
  const session = await window.context().newCDPSession(window)
  const { frameTree } = await session.send('Page.getFrameTree')
  const tab: TabState = {
    window,
    session,
    frameId: frameTree.frame.id,
    requests: trackRequests(window, () => tab.shown),
    notes,
    shown: undefined,
    awaitedUrl: undefined,
    isUsable: true,
    lead: () => {},
  }
  watchWindow(tab)
  await window.addInitScript(PAGE_SCRIPT)
  await session.send('Page.enable')
  await interceptRequests(tab)
  const restored = new Set<PageStorage | string>()
  return {
    show: (page) => show(page, restored, tab),
    end() {
      tab.shown = undefined
      if (!tab.isUsable)
        window
          .context()
          .close()
          .catch(() => {})
      return tab.isUsable
    },
  }
}

/** Notes dialogs and service workers, closes popups, and ends the visit at a crash. */
function watchWindow(tab: TabState): void {
  const { window, session, notes } = tab
  // Playwright dismisses dialogs as long as nothing listens to its `dialog` event.
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
    tab.isUsable = false
    tab.lead({ ending: { end: 'dropped', problem: 'the page of your app crashed its tab' } })
  })
  // The page script handles `window.open`. This popup comes from a link with a target.
  window.on('popup', (popup) => void popup.close().catch(() => {}))
}

/**
 * Shows a page, with the cookies and the storage of its browser.
 * @param restored the storage that the tab holds now, and the origins whose entries are restored
 */
async function show(
  next: TabPage,
  restored: Set<PageStorage | string>,
  tab: TabState,
): Promise<RestingPage> {
  const { page, answered, cookies, storage } = next
  const { session, requests } = tab
  const context = tab.window.context()
  const { origin } = new URL(page.url)
  await context.clearCookies()
  // If Chromium refuses a cookie, the others are still set.
  await Promise.all(cookies.all().map((cookie) => context.addCookies([cookie]).catch(() => {})))
  if (!restored.has(storage)) {
    restored.clear()
    restored.add(storage)
    await session.send('Network.clearBrowserCache')
  }
  if (answered && !tab.shown?.answered) storage.storedBeforeAnswer = storage.stored
  requests.clear()
  tab.shown = next
  const load = () => loadPage(page.url, tab)
  if (restored.has(origin)) return restAfter(load, next, tab)
  restored.add(origin)
  const storageTypes = 'indexeddb,cache_storage'
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes })
  const source = restoringScript(storage.stored)
  const script = await session.send('Page.addScriptToEvaluateOnNewDocument', { source })
  return restAfter(load, next, tab).finally(() =>
    session.send('Page.removeScriptToEvaluateOnNewDocument', script),
  )
}

async function loadPage(url: string, tab: TabState): Promise<void> {
  const { window } = tab
  tab.awaitedUrl = url.split('#')[0]
  // A URL that differs only in its fragment would open no new document.
  if (window.url().split('#')[0] === tab.awaitedUrl)
    await ask(`history.replaceState(null, '', location.origin + '/agekey-sandbox-audit')`, tab)
  await window.goto(url, { waitUntil: 'commit', timeout: 0 })
}

/**
 * Evaluates an expression in the page; `undefined` if the page navigates away or does not answer in
 * time.
 */
const ask = (expression: string, { window }: TabState): Promise<unknown> =>
  Promise.race([
    window.evaluate(expression).catch(() => {}),
    wait(MAX_WAIT_MS, undefined, { ref: false }),
  ])

/**
 * Waits until a page rests, leads on, or ends the visit.
 * @param act shows the page, or presses an element of the page
 */
async function restAfter(
  act: () => Promise<unknown>,
  shown: TabPage,
  tab: TabState,
): Promise<RestingPage> {
  const { requests, session } = tab
  const { page, signal, begin, cookies, storage } = shown
  const rest = new AbortController()
  const led = new Promise<Lead>((resolve) => (tab.lead = resolve))
  const late = aborted(signal, signal).then((): Lead => ({ ending: { end: 'restless' } }))
  const result = await Promise.race([led, late, untilRest(act, shown, tab, rest.signal)])
  rest.abort()
  const { said, onward, ending }: Lead & { said?: unknown } = result
  if (ending?.end === 'restless') tab.isUsable = false
  const pending = requests.first()
  const seen = seenSchema.safeParse(said ?? (await ask(callOf('see', begin), tab))).data
  const problem = pending ? `${pending} is not answered` : (seen?.unrest ?? 'its script never ends')
  const kept = await session.send('Network.getAllCookies')
  if (seen) keepStorage(seen, storage)
  const press = (index: number) => restAfter(() => ask(callOf('press', index), tab), shown, tab)
  return {
    onward,
    ending: ending && { problem, ...ending },
    page: seen ? { ...page, url: seen.url, text: seen.html } : page,
    ways: seen?.ways.map((way, index) => ({ ...way, press: () => press(index) })) ?? [],
    cookies: cookies.replace(kept.cookies),
  }
}

/** @returns what the page script reported when the page was at rest */
async function untilRest(
  act: () => Promise<unknown>,
  { isCallback, begin }: TabPage,
  { window, requests }: TabState,
  over: AbortSignal,
): Promise<{ said: unknown }> {
  // Repeated once, because a script of the previous page may just have navigated elsewhere.
  await act().catch(() => (over.aborted ? undefined : act()))
  for (;;) {
    while (requests.size > 0 && !over.aborted) await wait(5)
    const { begun } = requests
    const said = await window.evaluate(callOf('rest', isCallback, begin)).catch(() => {})
    const isResting = requests.begun === begun && requests.size === 0
    if (isResting || over.aborted) return { said }
  }
}

/** Replaces the stored entries of a page's origin. */
function keepStorage({ url, stored }: SeenPage, storage: PageStorage): void {
  const { origin } = new URL(url)
  const others = storage.stored.filter((entry) => JSON.parse(entry)[0] !== origin)
  storage.stored = [...others, ...stored]
}
