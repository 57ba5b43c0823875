import type { BrowserContext, CDPSession, Page as Tab } from 'playwright-core'
import type { Page, PageRequest, Visit, VisitOptions } from '../browser.ts'
import { firstNavigation, isWebAddress } from '../navigation.ts'
import type { Parties } from '../parties.ts'
import { explanationOf } from '../read-page.ts'
import {
  callOf,
  PAGE_SCRIPT,
  POPUP_BINDING,
  STORED_BINDING,
  type Stored,
  snapshotSchema,
  storedSchema,
} from './page-script.ts'
import { type Quiet, watchQuiet } from './quiet.ts'
import { changedNames, type Shelf } from './shelf.ts'
import { followTraffic, type Traffic } from './traffic.ts'

export interface TabSettings extends VisitOptions {
  readonly parties: Parties
  /** What pages of this browser stored. */
  readonly shelf: Shelf
  /** Addresses that answer when there are news. */
  readonly longPolls: Set<string>
  note(line: string): void
}

/** A user tries no more than so many ways on from a page. */
const MAX_PRESSES = 3

/** Opens an address in a tab of its own, follows it to its end, and closes the tab. */
export async function visitTab(context: BrowserContext, request: PageRequest, settings: TabSettings): Promise<Visit> {
  if (!URL.canParse(request.url) || !isWebAddress(new URL(request.url))) {
    return { end: 'unreachable', hops: [], url: request.url, problem: `${request.url} is no http or https address` }
  }
  const tab = await context.newPage()
  try {
    await settings.shelf.putBack(tab)
    return await visit(tab, request, settings)
  } finally {
    await tab.close()
  }
}

async function visit(tab: Tab, request: PageRequest, settings: TabSettings): Promise<Visit> {
  const { parties, shelf, signal } = settings
  const context = tab.context()
  const session = await context.newCDPSession(tab)
  const { frameTree } = await session.send('Page.getFrameTree')
  let cookies = await cookiesOf(context)
  let atCallback: Stored | undefined
  let isAtCallback = false
  const { url } = firstNavigation(request)
  parties.addApp(url)
  const traffic = await followTraffic(session, request, {
    ...settings,
    mainFrame: frameTree.frame.id,
    async onCallback() {
      isAtCallback = true
      cookies = await cookiesOf(context)
    },
  })
  const quiet = await watchQuiet(session, traffic, settings.longPolls)
  watchEvents(tab, traffic, settings)
  let opensPopup = false
  session.on('Runtime.bindingCalled', ({ name, payload }: { name: string; payload: string }) => {
    if (name === POPUP_BINDING) {
      opensPopup = true
      settings.note(POPUP)
      return
    }
    if (isAtCallback) atCallback = storedSchema.parse(JSON.parse(payload))
    isAtCallback = false
  })
  await session.send('Runtime.enable')
  await session.send('Runtime.addBinding', { name: STORED_BINDING })
  await session.send('Runtime.addBinding', { name: POPUP_BINDING })
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: PAGE_SCRIPT })
  const stop = () => void endInTime(traffic, quiet)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    // Its answer comes late, or never when the navigation is stopped.
    session.send('Page.navigate', { url: url.href }).catch(() => {})
    const problem = await goOn({ session, traffic, quiet, isAstray: () => opensPopup }, settings)
    if (traffic.fault) throw traffic.fault.reason
    const { ending, document } = traffic
    if (ending && ending.end !== 'page') return { ...ending, hops: traffic.hops }
    if (!document) return { end: 'dropped', hops: traffic.hops, url: url.href, problem: 'nothing came' }
    const { page, stored } = await readPage(session, traffic)
    traffic.addCookies(changedNames(cookies, await cookiesOf(context)).map((key) => key.split(' ', 1).join('')))
    shelf.keep(stored, atCallback)
    if (traffic.hops.at(-1)?.party !== 'sandbox') return { end: 'page', hops: traffic.hops, page, problem }
    return { end: 'sandbox_page', hops: traffic.hops, page, url: page.url, problem: explanationOf(page) }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Ends a visit whose time is up, with what it still did. */
async function endInTime(traffic: Traffic, quiet: Quiet): Promise<void> {
  const url = traffic.hops.at(-1)?.url ?? ''
  if (!traffic.document || !traffic.isShown) {
    const place = URL.canParse(url) ? new URL(url).origin : 'the app'
    return traffic.end({ end: 'timed_out', url, problem: `${place} did not answer in time` })
  }
  traffic.end({ end: 'restless', url, problem: await quiet.unrest() })
}

/** What a tab shows besides its page. */
function watchEvents(tab: Tab, traffic: Traffic, { note }: TabSettings): void {
  tab.on('dialog', (dialog) => {
    note(
      `your app opens a dialog, which was dismissed: ${dialog.type()} ${JSON.stringify(dialog.message().slice(0, 80))}`,
    )
    dialog.dismiss().catch(() => {})
  })
  tab.on('console', (message) => {
    if (!message.text().startsWith('Service Worker registration blocked')) return
    note('your app registers a service worker, which was not: the audit has to see each request')
  })
  tab.on('download', () => note('your app offers a download, which was refused'))
  tab.on('crash', () => traffic.end({ end: 'dropped', problem: 'the page of your app crashed its tab' }))
  // One that no script opens, such as a link to another window.
  tab.on('popup', (popup) => void popup.close().catch(() => {}))
}

/**
 * Goes on until the visit is over, as a user would: to the sandbox by what leads there, then to Create.
 * @returns what was pressed, when it led nowhere
 */
async function goOn(
  { session, traffic, quiet, isAstray }: { session: CDPSession; traffic: Traffic; quiet: Quiet; isAstray(): boolean },
  { sandboxUrl, looksOnly }: TabSettings,
): Promise<string | undefined> {
  const base = sandboxUrl.replace(/\/+$/, '')
  const pressed: string[] = []
  for (;;) {
    await quiet.rest()
    const { hops, ending } = traffic
    const asked = hops.filter(({ party }) => party === 'sandbox')
    const hasCreated = asked.some(({ endpoint }) => endpoint === 'E3')
    if (ending || looksOnly || hops.at(-1)?.party === 'sandbox') return undefined
    // A user who came back does not begin again; the page may lead on to Create.
    const isBeginning = asked.length === 0
    if (isBeginning && isAstray()) return void traffic.end({ end: 'astray', url: hops.at(-1)?.url, problem: POPUP })
    const isCreating =
      !hasCreated && hops.some(({ isCallback, url }) => isCallback && url.includes('create_requested=true'))
    const endpoints = [
      ...(isBeginning ? [`${base}/v1/oidc/use`] : []),
      ...(hasCreated ? [] : [`${base}/v1/oidc/create`]),
    ]
    if (pressed.length === MAX_PRESSES) return undefined
    const name = await press(session, { endpoints, isBeginning, isCreating })
    if (name === '' && isBeginning)
      return `${pressed.length > 0 ? `pressed ${pressed.join(', then ')}; ` : ''}${LOOKED_FOR}`
    if (name === '') return undefined
    pressed.push(name)
  }
}

/** A script that is refused a popup may go on in its own window, which is followed. */
const POPUP =
  'your app opens a popup, which is blocked; send the window itself to the service, at least when a popup is blocked'

const LOOKED_FOR =
  'looked for a link or form to the sandbox, then for a button or link that speaks of proving or verifying an age, then for the only button'

async function press(session: CDPSession, what: object): Promise<string> {
  const expression = callOf('press', what)
  const answer = await session
    .send('Runtime.evaluate', { expression, returnByValue: true, userGesture: true })
    .catch(() => undefined)
  return typeof answer?.result.value === 'string' ? answer.result.value : ''
}

/** What is shown, and what the page has stored. */
async function readPage(
  session: CDPSession,
  { document }: Traffic,
): Promise<{ page: Page; stored: Stored | undefined }> {
  const answer = await session
    .send('Runtime.evaluate', { expression: callOf('snapshot'), returnByValue: true })
    .catch(() => undefined)
  const snapshot = snapshotSchema.safeParse(answer?.result.value).data
  const { url = '', status = 0, mediaType = '', text } = document ?? {}
  if (text !== undefined) return { page: { url, status, mediaType, text }, stored: snapshot?.stored }
  return {
    page: { url: snapshot?.url ?? url, status, mediaType, text: snapshot?.html ?? '' },
    stored: snapshot?.stored,
  }
}

/** Cookies by name, domain and path. */
async function cookiesOf(context: BrowserContext): Promise<ReadonlyMap<string, string>> {
  const cookies = await context.cookies()
  return new Map(cookies.map(({ name, domain, path, value }) => [`${name} ${domain} ${path}`, value]))
}
