import type { Browser as Chromium } from 'playwright-core'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, BrowserVisit, PageRequest, VisitOptions } from '../browser.ts'
import { createHttpAgent, type HttpAgentOptions, type HttpBrowser } from '../http-agent.ts'
import type { LoadedPage } from '../resting-page.ts'
import { openTab, type Tab } from './tab.ts'
import type { PageStorage } from './tab-state.ts'

const ENDED =
  'Chromium ended in the middle of the audit; run it again, with fewer --jobs when its memory is short'

/**
 * Creates an agent with scripts. The agent opens one tab for each concurrent visit and reuses the
 * tabs for other browsers, because a new context takes longer than all pages of a visit.
 */
export function createChromiumAgent(chromium: Chromium, options: HttpAgentOptions = {}): Agent {
  const http = createHttpAgent(options)
  // Hidden tabs have the target type "other". Playwright attaches to this type only if this
  // variable is set.
  process.env['PW_CHROMIUM_ATTACH_TO_OTHER'] = '1'
  const idle: Tab[] = []
  const notes = new Set<string>()
  // Chromium does not answer calls that arrive shortly before its end, so visits race with its end.
  const ended = new Promise<never>((_resolve, reject) => chromium.once('disconnected', reject))
  ended.catch(() => {})

  /** Runs a visit of a browser in an idle tab. */
  async function visitInTab(
    browser: HttpBrowser,
    storage: PageStorage,
    request: PageRequest,
    settings: VisitOptions,
  ): Promise<BrowserVisit> {
    const tab = idle.pop() ?? (await openTab(chromium, options, notes))
    const asked = new Set<string>()
    try {
      const show = (page: LoadedPage) => tab.show({ ...page, storage, asked })
      const visit = await browser.open(request, { ...settings, show })
      return { ...visit, asked: [...asked] }
    } finally {
      if (tab.end()) idle.push(tab)
    }
  }

  return {
    name: 'chromium',
    notes: () => [...notes],
    newBrowser() {
      const browser = http.newBrowser()
      let storage: PageStorage = { stored: [], storedBeforeAnswer: [] }
      return {
        open(request, settings) {
          if (settings.peeks) return browser.open(request, settings)
          const visit = visitInTab(browser, storage, request, settings)
          return Promise.race([visit, ended]).catch((error: unknown) => {
            if (!settings.signal.aborted)
              throw chromium.isConnected() ? error : new AuditProblem(ENDED)
            const problem = 'the audit ended before'
            return { end: 'timed_out', hops: [], url: request.url, problem }
          })
        },
        forget(names) {
          browser.forget(names)
          // Removes the entries that pages stored after the answer. Earlier entries, such as the
          // state of the request, stay.
          const { stored, storedBeforeAnswer } = storage
          const kept = stored.filter((entry) => storedBeforeAnswer.includes(entry))
          storage = { stored: kept, storedBeforeAnswer }
        },
      }
    },
    async close() {
      delete process.env['PW_CHROMIUM_ATTACH_TO_OTHER']
      await chromium.close()
    },
  }
}
