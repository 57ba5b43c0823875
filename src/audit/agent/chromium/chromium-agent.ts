import type { Browser as Chromium } from 'playwright-core'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, Browser, Visit } from '../browser.ts'
import { createHttpAgent, type HttpAgentOptions, type Screen } from '../http-agent.ts'
import { USER_AGENT } from '../navigation.ts'
import { openTab, type Storage, type Tab } from './tab.ts'

/**
 * A browser with scripts. As many tabs are open as visits were under way at a time; each serves one browser after the other, because a
 * new one takes as long as a visit.
 */
export function createChromiumAgent(
  chromium: Chromium,
  options: Pick<HttpAgentOptions, 'anyAddress' | 'anyCertificate'> = {},
): Agent {
  const http = createHttpAgent(options)
  // Playwright attaches to hidden tabs, which have the target type "other", only if this variable is set.
  process.env['PW_CHROMIUM_ATTACH_TO_OTHER'] = '1'
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
        return await open(request, { ...settings, screen })
      } finally {
        if (tab.end()) idle.push({ tab, owner })
        else tab.close().catch(() => {})
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
        const common = (now: Texts = {}, then: Texts = {}) =>
          Object.fromEntries(Object.entries(now).filter(([name, value]) => then[name] === value))
        stored = Object.fromEntries(
          Object.entries(stored).map(([origin, { local, session }]) => [
            origin,
            { local: common(local, before[origin]?.local), session: common(session, before[origin]?.session) },
          ]),
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
      delete process.env['PW_CHROMIUM_ATTACH_TO_OTHER']
      await chromium.close()
    },
  }
}

type Texts = Readonly<Record<string, string>>
