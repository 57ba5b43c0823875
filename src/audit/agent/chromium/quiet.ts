import type { CDPSession } from 'playwright-core'
import { failureOf } from './failures.ts'
import { callOf } from './page-script.ts'
import type { Traffic } from './traffic.ts'

/** A request of a script that is not answered for so long may never be: it waits for news. */
const LONG_POLL_MS = 3000

/** Waits for pages to come to rest. */
export interface Quiet {
  /** Resolves when the page has come to rest, or the visit has ended. */
  rest(): Promise<void>
  /** What keeps the page from it, in words. */
  unrest(): Promise<string>
}

interface Sent {
  readonly requestId: string
  readonly loaderId: string
  readonly type?: string
  readonly frameId?: string
  readonly request: { readonly method: string; readonly url: string }
}

/**
 * Watches what a tab does. It is at rest when no navigation and no request is under way, and its page neither changes nor computes
 * nor waits for a short timer of its own.
 *
 * Decision: a GET by a script that is not answered for three seconds counts as waiting for news, as do server-sent events, unless it
 * carries a part of the answer. Any other request is waited for until the time of the visit is up: a page that is read too early may
 * look like a no.
 * @param longPolls addresses of such requests, known from earlier visits
 */
export async function watchQuiet(session: CDPSession, traffic: Traffic, longPolls: Set<string>): Promise<Quiet> {
  const underWay = new Map<string, Sent>()
  const timers = new Set<NodeJS.Timeout>()
  let isNavigating = true
  let isRefreshing = false
  let beginnings = 0
  let wake = () => {}
  let leave = () => {}

  const done = (requestId: string) => {
    underWay.delete(requestId)
    wake()
  }
  session.on('Network.requestWillBeSent', (sent: Sent) => {
    const { requestId, loaderId, type = '', request } = sent
    beginnings += 1
    if (requestId === loaderId && type === 'Document' && sent.frameId === traffic.mainFrame) {
      isNavigating = true
      isRefreshing = false
      leave()
    }
    const place = `${request.method} ${new URL(request.url).origin}${new URL(request.url).pathname}`
    if (ENDLESS.includes(type) || longPolls.has(place)) return
    underWay.set(requestId, sent)
    if (request.method !== 'GET' || !['XHR', 'Fetch'].includes(type) || carriesAnswer(sent, traffic)) return
    const timer = setTimeout(() => {
      if (underWay.has(requestId)) longPolls.add(place)
      done(requestId)
    }, LONG_POLL_MS)
    timers.add(timer)
  })
  session.on(
    'Network.responseReceived',
    ({ requestId, response }: { requestId: string; response: { mimeType: string } }) => {
      if (response.mimeType === 'text/event-stream') done(requestId)
    },
  )
  session.on('Network.loadingFinished', ({ requestId }: { requestId: string }) => done(requestId))
  session.on('Network.loadingFailed', ({ requestId, errorText }: { requestId: string; errorText: string }) => {
    const sent = underWay.get(requestId)
    const isWindow = sent?.loaderId === requestId && sent.type === 'Document' && sent.frameId === traffic.mainFrame
    // A navigation that another one takes the place of, and one that the audit itself ended.
    if (isWindow && errorText !== 'net::ERR_ABORTED')
      traffic.end(failureOf(errorText, traffic.hops.at(-1)?.url ?? sent.request.url))
    if (isWindow) isNavigating = false
    done(requestId)
  })
  session.on('Page.frameNavigated', ({ frame }: { frame: { id: string; loaderId: string; parentId?: string } }) => {
    if (frame.parentId !== undefined) return
    // Requests of the page before ended with it.
    for (const [id, { loaderId }] of underWay) if (loaderId !== frame.loaderId) underWay.delete(id)
    isNavigating = false
    wake()
  })
  session.on('Page.frameScheduledNavigation', ({ frameId, delay }: { frameId: string; delay: number }) => {
    if (frameId === traffic.mainFrame && delay <= 1) isRefreshing = true
  })
  session.on('Page.frameClearedScheduledNavigation', () => {
    isRefreshing = false
    wake()
  })
  await Promise.all([session.send('Network.enable'), session.send('Page.enable')])
  void traffic.ended.then(() => {
    for (const timer of timers) clearTimeout(timer)
    wake()
  })

  const isIdle = () => !isNavigating && !isRefreshing && underWay.size === 0
  const untilIdle = async () => {
    while (!isIdle() && !traffic.ending) await new Promise<void>((resolve) => (wake = resolve))
  }
  const ask = (expression: string, timeout?: number) =>
    session.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      ...(timeout && { timeout }),
    })

  return {
    async rest() {
      for (;;) {
        await untilIdle()
        if (traffic.ending) return
        const before = beginnings
        // A page that is left while it is asked gives its answer late, or never.
        const left = new Promise<undefined>((resolve) => {
          leave = () => resolve(undefined)
        })
        const answer = await Promise.race([
          ask(callOf('rest', { isAnswer: traffic.hops.at(-1)?.isCallback ?? false })).catch(() => undefined),
          left,
          traffic.ended,
        ])
        if (traffic.ending) return
        if (answer?.result.value === true && before === beginnings && isIdle()) return
      }
    },
    async unrest() {
      const [sent] = underWay.values()
      if (sent) return `${sent.request.method} ${new URL(sent.request.url).pathname} is not answered`
      if (isNavigating) return 'it is still on its way to the next page'
      const answer = await Promise.race([
        ask(callOf('unrest'), 500).catch(() => undefined),
        new Promise<undefined>((resolve) => setTimeout(resolve, 1000, undefined)),
      ])
      return typeof answer?.result.value === 'string' ? answer.result.value : 'its script runs for ever'
    },
  }
}

const ENDLESS: readonly string[] = ['EventSource', 'WebSocket', 'Ping', 'CSPViolationReport', 'Prefetch']

/** Whether a request holds a value that the sandbox answered with. */
function carriesAnswer({ request }: Sent, { hops }: Traffic): boolean {
  const callback = hops.findLast(({ isCallback }) => isCallback)
  if (!callback) return false
  const { hash, searchParams } = new URL(callback.url)
  const values = [...new URLSearchParams(hash.slice(1)).values(), ...searchParams.values()]
  const sent = JSON.stringify(request)
  return values.some((value) => value.length >= 8 && (sent.includes(value) || sent.includes(encodeURIComponent(value))))
}
