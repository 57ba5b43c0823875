import type { Browser as Chromium } from 'playwright-core'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, Browser, Visit } from '../browser.ts'
import { createHttpAgent, type Screen } from '../http-agent.ts'
import { USER_AGENT } from '../navigation.ts'
import { openTab, type Storage, type Tab } from './tab.ts'

export interface ChromiumAgentOptions {
  /** Also requests addresses that are neither on this machine nor in a private network. */
  readonly anyAddress?: boolean | undefined
  /** Takes certificates as they are, such as the sandbox's own. */
  readonly anyCertificate?: boolean | undefined
}

/**
 * A browser with scripts. As many tabs are open as visits were under way at a time; each serves one browser after the other, because a
 * new one takes as long as a visit.
 */
export function createChromiumAgent(chromium: Chromium, options: ChromiumAgentOptions = {}): Agent {
  const http = createHttpAgent(options)
  const idle: { readonly tab: Tab; readonly owner: object }[] = []
  const notes = new Set<string>()
  let markClosed = () => {}
  // A call that Chromium got shortly before it was closed is never answered.
  const closed = new Promise<void>((resolve) => {
    markClosed = resolve
  })

  const newTab = async (): Promise<Tab> =>
    openTab(
      await chromium.newContext({
        acceptDownloads: false,
        serviceWorkers: 'block',
        ignoreHTTPSErrors: options.anyCertificate ?? false,
        locale: 'en-US',
        userAgent: USER_AGENT,
      }),
    )

  function newBrowser(): Browser {
    const { open, peek, forget, cookies, parties } = http.newBrowser()
    // Another one when what the tab keeps is no longer what the browser keeps.
    let owner = {}
    let stored: Storage = {}
    let before: Storage = {}

    async function visit(...[request, settings]: Parameters<Browser['open']>): Promise<Visit> {
      const place = idle.findIndex((one) => one.owner === owner)
      const [seat] = idle.splice(Math.max(0, place), 1)
      const tab = seat?.tab ?? (await newTab())
      try {
        const keep: Parameters<Tab['begin']>[0]['keep'] = (origin, texts) => {
          stored = { ...stored, [origin]: texts }
        }
        const note = (line: string) => void notes.add(line)
        await tab.begin({ ...settings, parties, cookies, note, keep }, place >= 0 ? undefined : stored)
        let isAnswered = false
        const screen: Screen = {
          show(page, at) {
            if (at.answered && !isAnswered) before = stored
            isAnswered ||= at.answered
            return tab.show(page, at)
          },
        }
        const done = await open(request, { ...settings, screen })
        if (await tab.end()) idle.push({ tab, owner })
        else tab.close().catch(() => {})
        return done
      } catch (error) {
        tab.close().catch(() => {})
        throw error
      }
    }
    return {
      peek,
      async open(request, options) {
        const over: Visit = { end: 'timed_out', hops: [], url: request.url, problem: 'the audit ended before' }
        return Promise.race([visit(request, options), closed.then(() => over)]).catch((error: unknown) => {
          if (options.signal.aborted) return over
          if (chromium.isConnected()) throw error
          throw new AuditProblem(
            'Chromium ended in the middle of the audit; run it again, with fewer --jobs when its memory is short',
          )
        })
      },
      forget(names) {
        forget(names)
        // Of what pages stored, the proof came after the answer; what was there before, such as the request, stays.
        const old = (origin: string, kind: 'local' | 'session') =>
          Object.entries(stored[origin]?.[kind] ?? {}).filter(([name, value]) => before[origin]?.[kind][name] === value)
        const kept = (origin: string, kind: 'local' | 'session') => Object.fromEntries(old(origin, kind))
        stored = Object.fromEntries(
          Object.keys(stored).map((it) => [it, { local: kept(it, 'local'), session: kept(it, 'session') }]),
        )
        owner = {}
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
