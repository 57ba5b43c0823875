import { randomInt } from 'node:crypto'
import { createExchange, type ExchangeOptions } from '../../server/client/exchange.ts'
import type { Agent, Browser, BrowserVisit, PageRequest, VisitOptions } from './browser.ts'
import { createCookies } from './cookies.ts'
import { createParties } from './parties.ts'
import { runVisit, type VisitContext } from './visit.ts'

export interface HttpAgentOptions extends ExchangeOptions {
  /** Also requests apps at public addresses, beyond this machine and private networks. */
  readonly anyAddress?: boolean | undefined
}

export interface HttpAgent extends Agent {
  newBrowser(options?: { readonly ownAddress?: boolean }): HttpBrowser
}

/** A browser whose pages another agent may show. */
export interface HttpBrowser extends Browser {
  open(
    request: PageRequest,
    options: VisitOptions & Pick<VisitContext, 'show'>,
  ): Promise<BrowserVisit>
}

/**
 * A browser on plain HTTP: it follows redirects, forms and cookies as Chrome does. It runs no
 * scripts, unless another agent shows its pages.
 */
export function createHttpAgent({ anyAddress, ...options }: HttpAgentOptions = {}): HttpAgent {
  const exchange = createExchange(options)
  return {
    name: 'http',
    notes: () => [],
    close: async () => {},
    newBrowser({ ownAddress = false } = {}) {
      // In production the service has another host, so neither party sees the cookies of the other.
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
          // The app has begun a flow that the audit does not follow: the cookies of that flow would
          // fill up or replace those of the current flow.
          if (visitOptions.peeks && visit.end === 'stopped') cookies.app.replace(before)
          return visit
        },
        forget: cookies.app.forget,
      }
    },
  }
}

/** On Linux every address of the network 127.0.0.0/8 is one of this machine. */
const randomLoopbackAddress = (): string | undefined =>
  process.platform === 'linux'
    ? `127.${[254, 254, 254].map((limit) => randomInt(1, limit)).join('.')}`
    : undefined
