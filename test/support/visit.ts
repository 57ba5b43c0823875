import type { Browser, BrowserVisit, PageRequest } from '../../src/audit/agent/browser.ts'
import { createHttpAgent } from '../../src/audit/agent/http-agent.ts'

const NO_SANDBOX = 'http://sandbox.test'

/** Opens a page in a fresh browser, or in one that is given; at E1 and E3 it is an adult. */
export function visit(
  target: PageRequest | string,
  {
    browser = createHttpAgent().newBrowser(),
    sandboxUrl = NO_SANDBOX,
    signal = new AbortController().signal,
    ...options
  }: { browser?: Browser } & Partial<Parameters<Browser['open']>[1]> = {},
): Promise<BrowserVisit> {
  return browser.open(typeof target === 'string' ? { url: target } : target, {
    sandboxUrl,
    signal,
    decide: async () => ({ persona: 'adult-passport' }),
    ...options,
  })
}
