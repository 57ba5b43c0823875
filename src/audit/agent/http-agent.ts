import { randomInt } from 'node:crypto'
import { createExchange, type ExchangeOptions } from '../../server/client/exchange.ts'
import type { Agent, Browser, BrowserVisit, PageRequest, VisitOptions } from './browser.ts'
import { createCookies } from './cookies.ts'
import { createParties } from './parties.ts'
import { runVisit, type VisitContext } from './visit.ts'

export interface HttpAgentOptions extends ExchangeOptions {
  /** Allows apps at public addresses (default: only this machine and private networks). */
  readonly anyAddress?: boolean | undefined
}

export interface HttpAgent extends Agent {
  newBrowser(options?: { readonly ownAddress?: boolean }): HttpBrowser
}

/** A browser whose pages another agent can show. */
export interface HttpBrowser extends Browser {
  open(
    request: PageRequest,
    options: VisitOptions & Pick<VisitContext, 'show'>,
  ): Promise<BrowserVisit>
}

/**
 * Creates an agent on plain HTTP. Its browsers handle redirects, forms and cookies as Chrome does.
 * They run no scripts, unless another agent shows their pages.
 */
export function createHttpAgent({ anyAddress, ...options }: HttpAgentOptions = {}): HttpAgent {
  const exchange = createExchange(options)
  return {
    name: 'http',
    notes: () => [],
    close: async () => {},
    newBrowser({ ownAddress = false } = {}) {
      // In production, app and service have different hosts, so they do not share cookies.
      const cookies = { app: createCookies(), sandbox: createCookies() }
      const parties = createParties({ anyAddress })
      const from = ownAddress ? randomLoopbackAddress() : undefined
      return {
        async open(request, visitOptions) {
          const before = cookies.app.all()
          const visit = await runVisit(request, {
            ...visitOptions,
            exchange,
            parties,
            cookies,
            from,
          })
          // The app began a flow that the audit does not follow. Cookies of that flow could replace
          // cookies of the current flow, so they are dropped.
          if (visitOptions.peeks && visit.end === 'stopped') cookies.app.replace(before)
          return visit
        },
        forget: cookies.app.forget,
      }
    },
  }
}

/** A random address of 127.0.0.0/8. On Linux, all these addresses belong to this machine. */
const randomLoopbackAddress = (): string | undefined =>
  process.platform === 'linux'
    ? `127.${[254, 254, 254].map((limit) => randomInt(1, limit)).join('.')}`
    : undefined
