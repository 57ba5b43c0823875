import type { BrowserContext, Browser as Chromium } from 'playwright-core'
import { AuditProblem } from '../../audit-problem.ts'
import type { Agent, Browser, Visit } from '../browser.ts'
import { createCookies } from '../cookies.ts'
import { createHttpAgent } from '../http-agent.ts'
import { createParties } from '../parties.ts'
import { createShelf } from './shelf.ts'
import { visitTab } from './tab.ts'

export interface ChromiumAgentOptions {
  /** Also requests addresses that are neither on this machine nor in a private network. */
  readonly anyAddress?: boolean | undefined
  /** Takes certificates as they are, such as the sandbox's own. */
  readonly anyCertificate?: boolean | undefined
}

/** A context without a tab costs a few kilobytes, and is used again at once or never. */
const MAX_CONTEXTS = 32

/**
 * A browser with scripts. Each visit has a tab of its own, which is closed with it; cookies and what pages stored stay in the context of
 * their browser. Of contexts the least recently used ones are closed.
 */
export function createChromiumAgent(
  chromium: Chromium,
  { anyAddress, anyCertificate }: ChromiumAgentOptions = {},
): Agent {
  const contexts = new Set<Promise<BrowserContext>>()
  const http = createHttpAgent({ anyAddress, anyCertificate })
  const notes = new Set<string>()
  const longPolls = new Set<string>()
  let markClosed = () => {}
  // A call that Chromium got shortly before it was closed is never answered.
  const closed = new Promise<void>((resolve) => {
    markClosed = resolve
  })
  const newContext = () =>
    chromium.newContext({
      acceptDownloads: false,
      serviceWorkers: 'block',
      ignoreHTTPSErrors: anyCertificate ?? false,
      locale: 'en-US',
    })

  /** Marks a context as the one used last. */
  function use(context: Promise<BrowserContext>): void {
    contexts.delete(context)
    contexts.add(context)
    const [oldest] = contexts
    if (contexts.size <= MAX_CONTEXTS || !oldest) return
    contexts.delete(oldest)
    void oldest.then((one) => one.close()).catch(() => {})
  }

  function newBrowser(): Browser {
    const parties = createParties({ anyAddress })
    const shelf = createShelf()
    let context: Promise<BrowserContext> | undefined
    let isForgetting: Promise<void> = Promise.resolve()
    return {
      async open(request, options) {
        context ??= newContext()
        use(context)
        const over: Visit = { end: 'timed_out', hops: [], url: request.url, problem: 'the audit ended before' }
        const tools = { parties, shelf, longPolls, note: (line: string) => notes.add(line) }
        const used = context
        const visit = async () => {
          await isForgetting
          return visitTab(await used, request, { ...options, ...tools })
        }
        return Promise.race([visit(), closed.then(() => over)]).catch((error: unknown) => {
          if (options.signal.aborted) return over
          if (chromium.isConnected()) throw error
          throw new AuditProblem(
            'Chromium ended in the middle of the audit; run it again, with fewer --jobs when its memory is short',
          )
        })
      },
      async peek(url, options) {
        const jar = createCookies()
        for (const { name, value, domain, path, sameSite, secure } of (await (await context)?.cookies()) ?? []) {
          const host = domain.replace(/^\./, '')
          const kind = `SameSite=${sameSite}${secure ? '; Secure' : ''}${host === domain ? '' : `; Domain=${host}`}`
          jar.keep([`${name}=${value}; Path=${path}; ${kind}`], new URL(`http${secure ? 's' : ''}://${host}${path}`))
        }
        return http.newBrowser({ cookies: jar }).peek(url, options)
      },
      forget(names) {
        shelf.forgetProof()
        const of = context
        if (!of) return
        isForgetting = (async () => {
          for (const name of names) await (await of).clearCookies({ name })
        })()
        isForgetting.catch(() => {})
      },
    }
  }

  return {
    name: 'chromium',
    newBrowser,
    notes: () => [...notes],
    async close() {
      markClosed()
      await Promise.all([...contexts].map((one) => one.then((context) => context.close()).catch(() => {})))
      await chromium.close()
    },
  }
}
