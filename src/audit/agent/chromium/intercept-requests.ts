import { calledEndpoint } from '../parties.ts'
import type { TabPage, TabState } from './tab-state.ts'

/** A request that Chromium has paused (`Fetch.requestPaused`). */
interface PausedRequest {
  readonly requestId: string
  readonly frameId: string
  /** `Document` for navigations. */
  readonly resourceType: string
  readonly request: {
    readonly url: string
    readonly urlFragment?: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly postData?: string
  }
}

/** Types of resources that the audit does not load. */
const UNREAD: readonly string[] = ['Image', 'Media', 'Font']

/**
 * Intercepts each request of a tab. Chromium sends no navigation of the window itself: the tab
 * fulfils the navigation to the current page, and any other navigation becomes its next request.
 */
export async function interceptRequests(tab: TabState): Promise<void> {
  tab.session.on('Fetch.requestPaused', (paused) => {
    // The tab may close before the reply.
    intercept(paused, tab).catch(() => {})
  })
  await tab.session.send('Fetch.enable', { patterns: [{ urlPattern: 'http*' }] })
}

function intercept(paused: PausedRequest, tab: TabState): Promise<unknown> {
  const { shown } = tab
  if (!shown) return refuse(paused, 'Aborted', tab)
  const { url: address, urlFragment = '' } = paused.request
  const url = new URL(address + urlFragment)
  const isDocument = paused.resourceType === 'Document'
  if (isDocument && paused.frameId === tab.frameId) return navigateWindow(paused, url, shown, tab)
  const isService = refersToService(url, isDocument, shown, tab)
  const isBeyond = isBeyondAudit(url, shown, tab)
  if (isService || isBeyond || UNREAD.includes(paused.resourceType))
    return refuse(paused, 'BlockedByClient', tab)
  return tab.session.send('Fetch.continueRequest', { requestId: paused.requestId })
}

function navigateWindow(
  { requestId, ...paused }: PausedRequest,
  url: URL,
  shown: TabPage,
  tab: TabState,
): Promise<unknown> {
  const { url: address, method, headers, postData: text = '' } = paused.request
  if (tab.awaitedUrl === address) {
    tab.awaitedUrl = undefined
    const response = { requestId, ...responseOf(shown) }
    return tab.session.send('Fetch.fulfillRequest', response)
  }
  const type = headers['Content-Type']
  const body = type ? { type, text } : undefined
  // While `awaitedUrl` is set, the previous page is still active. Its navigations are ignored.
  if (tab.awaitedUrl === undefined)
    tab.lead({ onward: { method: method === 'POST' ? method : 'GET', url, body } })
  return refuse({ requestId }, 'Aborted', tab)
}

/** The response of the app for `Fetch.fulfillRequest`. Its text is already decoded and complete. */
function responseOf({ page, headers }: TabPage) {
  const contentType = `${page.mediaType || 'text/html'}; charset=utf-8`
  const kept = Object.entries({ ...headers, 'content-type': contentType }).filter(
    ([name]) => !/-(?:length|encoding|disposition)$/.test(name),
  )
  return {
    responseCode: page.status,
    responseHeaders: kept.map(([name, value = '']) => ({ name, value })),
    body: Buffer.from(page.text).toString('base64'),
  }
}

/** Whether a frame or a script requests E1 or E3. A request by a frame ends the visit. */
function refersToService(
  url: URL,
  isDocument: boolean,
  { sandboxUrl }: TabPage,
  { lead, notes }: TabState,
): boolean {
  const endpoint = calledEndpoint(url, sandboxUrl)
  if (!endpoint) return false
  if (isDocument) {
    const problem =
      'your app opens the service in a frame, which is not followed; send the window itself there'
    lead({ ending: { end: 'framed', problem } })
  } else {
    notes.add(
      `a script of your app fetches ${endpoint}, and was kept from it: a browser has to be sent there`,
    )
  }
  return true
}

function isBeyondAudit(url: URL, { parties, sandboxUrl }: TabPage, { notes }: TabState): boolean {
  if (parties.mayBeApp(url) || parties.partyOf(url, sandboxUrl) === 'sandbox') return false
  notes.add(`what your pages load from ${url.origin} was not loaded: --this-app-is-mine allows it`)
  return true
}

function refuse(
  { requestId }: Pick<PausedRequest, 'requestId'>,
  errorReason: 'Aborted' | 'BlockedByClient',
  { session }: TabState,
): Promise<unknown> {
  return session.send('Fetch.failRequest', { requestId, errorReason })
}
