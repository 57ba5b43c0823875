import { type Fields, readForm, readSearch } from '../http/form.ts'
import { guardControl } from '../http/guard.ts'
import type { ConsoleFrame, ConsolePath } from '../http/html/console-page.ts'
import { consoleFrame, consolePathOf } from '../http/html/console-page.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Incoming } from '../http/incoming.ts'
import { page, type Reply, redirect } from '../http/reply.ts'
import type { Handler, HttpHost } from '../http/route.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { signInPage } from './sign-in.ts'

/** What a page of the console is made of. */
export interface ConsoleCall {
  readonly tenant: Tenant
  readonly host: HttpHost
  readonly frame: ConsoleFrame
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  /** What the address asks for; after a refused form what the form said. */
  readonly fields: Fields
  /** Why the form was refused. */
  readonly problem?: string
}

/** One page of the console, and what its forms do. */
export interface ConsoleRoute {
  readonly name: ConsolePath
  /** Below the page's own path: `/:id`. */
  readonly below?: string
  render(call: ConsoleCall): RenderedPage | Promise<RenderedPage>
  /** Does what a form says; may return headers for the redirect, and a query for the page to say what was done. */
  act?(call: ConsoleCall): Promise<ActResult | undefined>
}

export interface ActResult {
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
}

/** Shows a page to who may use the control API; beyond loopback a browser is asked for the token. */
export const showPage =
  (route: ConsoleRoute, host: HttpHost): Handler =>
  async (request, tenant) => {
    const stranger = askForToken(request, tenant, host)
    if (stranger) return { reply: stranger }
    const call = callOf(request, tenant, host)
    return { reply: page(200, await route.render({ ...call, fields: readSearch(request) })) }
  }

/** Does what a form of the page says and shows the page again; a refused form says why, with what was written. */
export const takeForm =
  (route: ConsoleRoute & Required<Pick<ConsoleRoute, 'act'>>, host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard, { changesState: true })
    const call = { ...callOf(request, tenant, host), fields: readForm(request) }
    try {
      const { headers = {}, query = {} } = (await route.act(call)) ?? {}
      const search = new URLSearchParams(query).toString()
      const reply = redirect(303, `${consolePathOf(tenant)}/${route.name}${search && `?${search}`}`)
      return { reply: { ...reply, headers: { ...reply.headers, ...headers } } }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { reply: page(error.status, await route.render({ ...call, problem: error.message })) }
    }
  }

/** The sign-in page, when that is what the caller lacks. @throws Refusal when nothing would help */
export function askForToken(request: Incoming, tenant: Tenant, host: HttpHost): Reply | undefined {
  try {
    guardControl(request, host.guard, { changesState: false })
    return undefined
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return signInPage(tenant, host)
    throw error
  }
}

const callOf = (request: Incoming, tenant: Tenant, host: HttpHost) => ({
  tenant,
  host,
  frame: consoleFrame(tenant, host),
  params: request.params,
})
