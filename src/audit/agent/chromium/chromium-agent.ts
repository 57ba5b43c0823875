import type { Browser as Chromium } from 'playwright-core'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, Browser, Visit } from '../browser.ts'
import { createCookies } from '../cookies.ts'
import { createHttpAgent } from '../http-agent.ts'
import { isWebAddress } from '../navigation.ts'
import { createParties } from '../parties.ts'
import { type Kept, openTab, type Tab } from './tab.ts'

export interface ChromiumAgentOptions {
  /** Also requests addresses that are neither on this machine nor in a private network. */
  readonly anyAddress?: boolean | undefined
  /** Takes certificates as they are, such as the sandbox's own. */
  readonly anyCertificate?: boolean | undefined
}

/** A tab, and the browser whose cookies and storage are in it. */
interface Seat {
  readonly tab: Tab
  owner?: object | undefined
  close(): Promise<void>
}

/**
 * A browser with scripts. As many tabs are open as visits were under way at a time; each serves one browser after the other, because a
 * new one takes as long as a visit. What a browser keeps is taken out behind each visit, and put back when it comes to another tab.
 */
export function createChromiumAgent(chromium: Chromium, options: ChromiumAgentOptions = {}): Agent {
  const { anyAddress, anyCertificate = false } = options
  const http = createHttpAgent({ anyAddress, anyCertificate })
  const idle: Seat[] = []
  const notes = new Set<string>()
  const longPolls = new Set<string>()
  let markClosed = () => {}
  // A call that Chromium got shortly before it was closed is never answered.
  const closed = new Promise<void>((resolve) => {
    markClosed = resolve
  })

  async function newSeat(): Promise<Seat> {
    const context = await chromium.newContext({
      acceptDownloads: false,
      serviceWorkers: 'block',
      ignoreHTTPSErrors: anyCertificate,
      locale: 'en-US',
    })
    return { tab: await openTab(context), close: () => context.close() }
  }

  function newBrowser(): Browser {
    const parties = createParties({ anyAddress })
    const owner = {}
    let kept: Kept = { cookies: [], stored: {} }

    const take = (): Seat | undefined => {
      const place = Math.max(
        0,
        idle.findIndex((seat) => seat.owner === owner),
      )
      return idle.splice(place, 1)[0]
    }
    async function visit(...[request, settings]: Parameters<Browser['open']>): Promise<Visit> {
      const seat = take() ?? (await newSeat())
      const isOwn = seat.owner === owner
      try {
        if (!isOwn) await seat.tab.restore(kept)
        const done = await seat.tab.visit(request, {
          ...settings,
          parties,
          kept,
          longPolls,
          note: (line) => notes.add(line),
        })
        kept = done.kept
        seat.owner = owner
        if (done.isWell) idle.push(seat)
        else seat.close().catch(() => {})
        return done.visit
      } catch (error) {
        seat.close().catch(() => {})
        throw error
      }
    }
    return {
      async open(request, options) {
        const { url } = request
        if (!URL.canParse(url) || !isWebAddress(new URL(url))) {
          return { end: 'unreachable', hops: [], url, problem: `${url} is no http or https address` }
        }
        const over: Visit = { end: 'timed_out', hops: [], url, problem: 'the audit ended before' }
        return Promise.race([visit(request, options), closed.then(() => over)]).catch((error: unknown) => {
          if (options.signal.aborted) return over
          if (chromium.isConnected()) throw error
          throw new AuditProblem(
            'Chromium ended in the middle of the audit; run it again, with fewer --jobs when its memory is short',
          )
        })
      },
      async peek(url, options) {
        const cookies = createCookies()
        for (const { name, value, domain, path, sameSite, secure } of kept.cookies) {
          const host = domain.replace(/^\./, '')
          const kind = `SameSite=${sameSite}${secure ? '; Secure' : ''}${host === domain ? '' : `; Domain=${host}`}`
          cookies.keep(
            [`${name}=${value}; Path=${path}; ${kind}`],
            new URL(`http${secure ? 's' : ''}://${host}${path}`),
          )
        }
        return http.newBrowser({ cookies }).peek(url, options)
      },
      forget(names) {
        const { before } = kept
        // Of what pages stored, the proof came after the answer; what was there before, such as the request, stays.
        const isOld =
          (origin: string, kind: 'local' | 'session') =>
          ([name, value]: [string, string]) =>
            !before || before.stored[origin]?.[kind][name] === value
        const stored = Object.entries(kept.stored).map(([origin, { local, session }]) => {
          const old = (kind: 'local' | 'session', texts: Readonly<Record<string, string>>) =>
            Object.fromEntries(Object.entries(texts).filter(isOld(origin, kind)))
          return [origin, { origin, local: old('local', local), session: old('session', session) }] as const
        })
        kept = { cookies: kept.cookies.filter(({ name }) => !names.includes(name)), stored: Object.fromEntries(stored) }
        for (const seat of idle) if (seat.owner === owner) seat.owner = undefined
      },
    }
  }

  return {
    name: 'chromium',
    newBrowser,
    notes: () => [...notes],
    async close() {
      markClosed()
      await chromium.close()
    },
  }
}
