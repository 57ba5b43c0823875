import { once } from 'node:events'
import type { Browser as Chromium } from 'playwright-core'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, Browser, Visit } from '../browser.ts'
import { createHttpAgent, type HttpAgentOptions } from '../http-agent.ts'
import { type Memory, openTab, type Tab } from './tab.ts'

/**
 * A browser with scripts. As many tabs are open as visits were under way at a time; each serves one browser after the other, because a
 * context of its own takes Chromium several times as long as all pages of a visit.
 */
export function createChromiumAgent(
  chromium: Chromium,
  options: Pick<HttpAgentOptions, 'anyAddress' | 'anyCertificate'> = {},
): Agent {
  const http = createHttpAgent(options)
  // Playwright attaches to hidden tabs, which have the target type "other", only if this variable is set.
  process.env['PW_CHROMIUM_ATTACH_TO_OTHER'] = '1'
  const idle: Tab[] = []
  const notes = new Set<string>()
  const note = (line: string) => void notes.add(line)
  const closing = new AbortController()
  // A call that Chromium got shortly before it was closed is never answered.
  const closed = once(closing.signal, 'abort')

  function newBrowser(): Browser {
    const { open, peek, forget, cookies, parties } = http.newBrowser()
    let memory: Memory = { stored: {}, before: {} }

    async function visit(...[request, settings]: Parameters<Browser['open']>): Promise<Visit> {
      const tab = idle.pop() ?? (await openTab(chromium, options))
      const own = { ...settings, parties, cookies, memory, asked: new Set<string>(), note }
      try {
        const visited = await open(request, { ...settings, screen: { show: (page, at) => tab.show(page, at, own) } })
        return { ...visited, asked: [...own.asked] }
      } finally {
        if (tab.end()) idle.push(tab)
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
        const { stored, before } = memory
        const kept = Object.entries(stored).map(([origin, texts]) => {
          return [origin, texts.filter((one) => before[origin]?.includes(one))] as const
        })
        memory = { stored: Object.fromEntries(kept), before }
      },
    }
  }

  return {
    name: 'chromium',
    newBrowser,
    notes: () => [...notes],
    async close() {
      closing.abort()
      delete process.env['PW_CHROMIUM_ATTACH_TO_OTHER']
      await chromium.close()
    },
  }
}
