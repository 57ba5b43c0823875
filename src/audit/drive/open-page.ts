import { onDemand } from '../../files/on-demand.ts'
import type { Browser, Page, Visit } from '../agent/browser.ts'

/** A page that an app showed. */
export interface OpenedPage {
  /** Where redirects and forms ended. */
  readonly url: string
  readonly status: number
  readonly text: string
}

/** What is sent to an app. */
export interface OpenRequest {
  readonly method?: 'GET' | 'POST'
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>>
  readonly json?: unknown
}

/**
 * Opens an address of the app in a browser without scripts, which follows redirects, forms that submit themselves, and cookies, to the
 * sandbox and back. The pages of one visit share their cookies.
 * @throws Error with one line when no page of the app comes
 */
export type OpenPage = (url: string, request?: OpenRequest) => Promise<OpenedPage>

// Most functions have a client of their own.
const loadAgent = onDemand(() => import('../agent/http-agent.ts'))

/** Makes what opens the pages of one visit. */
export function createOpenPage({ sandboxUrl, signal }: { sandboxUrl: string; signal: AbortSignal }): OpenPage {
  let browser: Browser | undefined
  return async (url, request = {}) => {
    const { createHttpAgent } = await loadAgent()
    browser ??= createHttpAgent().newBrowser()
    const visit = await browser.open({ url, ...request }, { sandboxUrl, signal, decide: async () => ({}) })
    return requirePage(visit, url)
  }
}

function requirePage({ end, page, problem, url }: Visit, asked: string): Page {
  if (end === 'page' && page) return page
  const place = url === undefined ? '' : ` at ${url.replace(/[?#].*$/s, '')}`
  throw new Error(`open(${JSON.stringify(asked)}) ended without a page of the app${place}: ${problem ?? end}`)
}
