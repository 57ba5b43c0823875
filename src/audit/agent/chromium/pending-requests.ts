import type { Request, Page as Window } from 'playwright-core'

/** The pending requests of a page. The page is not at rest while there are any. */
export interface PendingRequests {
  /** Number of pending requests. */
  readonly size: number
  /** Number of requests since the tab opened. */
  readonly begun: number
  /** The method and path of the oldest pending request. */
  first(): string | undefined
  clear(): void
}

/** Milliseconds after which an unanswered `GET` of a script counts as a long poll. */
const MAX_WAIT_MS = 5000
/** Types of requests that may never complete. */
const ENDLESS: readonly string[] = ['eventsource', 'websocket', 'ping', 'cspreport']

/** The current page. */
interface TrackedPage {
  /** URLs that scripts requested by GET. */
  readonly asked: Set<string>
  readonly isCallback: boolean
}

/**
 * Tracks the requests of a window, except navigations and long polls. On a callback page, no
 * request counts as a long poll.
 */
export function trackRequests(
  window: Window,
  shown: () => TrackedPage | undefined,
): PendingRequests {
  const pending = new Map<Request, string>()
  const longPolls = new Set<string>()
  let begun = 0
  const done = (request: Request) => pending.delete(request)

  function begin(request: Request): void {
    const target = `${request.method()} ${new URL(request.url()).pathname}`
    const isEndless = ENDLESS.includes(request.resourceType()) || longPolls.has(target)
    if (request.isNavigationRequest() || isEndless) return
    begun++
    pending.set(request, target)
    if (request.method() !== 'GET' || !/^(?:xhr|fetch)$/.test(request.resourceType())) return
    shown()?.asked.add(request.url())
    if (shown()?.isCallback) return
    setTimeout(() => {
      if (done(request)) longPolls.add(target)
    }, MAX_WAIT_MS).unref()
  }

  window.on('request', begin)
  window.on('requestfinished', done)
  window.on('requestfailed', done)
  window.on('response', (response) => {
    const isEventStream = response.headers()['content-type']?.startsWith('text/event-stream')
    if (isEventStream) done(response.request())
  })
  return {
    get size() {
      return pending.size
    },
    get begun() {
      return begun
    },
    first: () => pending.values().next().value,
    clear: () => pending.clear(),
  }
}
