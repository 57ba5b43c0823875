import type { Browser as Chromium } from 'playwright-core'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, BrowserVisit } from '../browser.ts'
import { createHttpAgent, type HttpAgentOptions, type Showing } from '../http-agent.ts'
import { openTab, type Shown } from './tab.ts'

const ENDED =
  'Chromium ended in the middle of the audit; run it again, with fewer --jobs when its memory is short'

/**
 * A browser with scripts. There are as many tabs as concurrent visits, and each serves one browser
 * after the other: a new context takes Chromium several times as long as all pages of a visit.
 */
export function createChromiumAgent(chromium: Chromium, options: HttpAgentOptions = {}): Agent {
  const http = createHttpAgent(options)
  // Playwright attaches to hidden tabs, which have the target type "other", only if this variable
  // is set.
  process.env['PW_CHROMIUM_ATTACH_TO_OTHER'] = '1'
  const idle: Awaited<ReturnType<typeof openTab>>[] = []
  const notes = new Set<string>()
  // Chromium never answers a call that arrives shortly before its end.
  const ended = new Promise<never>((_resolve, reject) => chromium.once('disconnected', reject))
  ended.catch(() => {})
  return {
    name: 'chromium',
    notes: () => [...notes],
    newBrowser() {
      const { open, forget } = http.newBrowser()
      let memory: Shown['memory'] = { stored: [], before: [] }
      return {
        open(request, settings) {
          if (settings.peeks) return open(request, settings)
          const visit = async (): Promise<BrowserVisit> => {
            const tab = idle.pop() ?? (await openTab(chromium, options, notes))
            const asked = new Set<string>()
            try {
              const show = (showing: Showing) => tab.show({ ...showing, memory, asked })
              return { ...(await open(request, { ...settings, show })), asked: [...asked] }
            } finally {
              if (tab.end()) idle.push(tab)
            }
          }
          return Promise.race([visit(), ended]).catch((error: unknown) => {
            if (!settings.signal.aborted)
              throw chromium.isConnected() ? error : new AuditProblem(ENDED)
            return {
              end: 'timed_out',
              hops: [],
              url: request.url,
              problem: 'the audit ended before',
            }
          })
        },
        forget(names) {
          forget(names)
          // The proof in the storage of pages came after the answer; older entries, such as the
          // request, stay.
          const { stored, before } = memory
          memory = { stored: stored.filter((one) => before.includes(one)), before }
        },
      }
    },
    async close() {
      delete process.env['PW_CHROMIUM_ATTACH_TO_OTHER']
      await chromium.close()
    },
  }
}
