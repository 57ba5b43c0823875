import { type ConsoleFrame, type ConsolePath, consoleFrame, consolePathOf } from '../http/console-page.ts'
import type { Cookie } from '../http/cookie.ts'
import { type Fields, readForm, readSearch } from '../http/form.ts'
import { guardControl } from '../http/guard/guard.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Incoming } from '../http/incoming.ts'
import { page, type Reply, redirect } from '../http/reply.ts'
import { takeModeBack } from '../http/status.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { signInPage } from './sign-in.ts'

/** A request for a page of the console. */
export interface ConsoleCall {
  readonly request: Incoming
  readonly tenant: Tenant
  readonly host: HttpHost
  readonly frame: ConsoleFrame
  /** Named parts of the path. */
  readonly params: Readonly<Record<string, string>>
  /** The query; for a refused form the fields of the form. */
  readonly fields: Fields
  /** Why a form was refused. */
  readonly problem?: string
}

/** One page of the console, with its forms. */
export interface ConsoleRoute {
  readonly name: ConsolePath
  /** The path below that of the page: `/:id`. */
  readonly below?: string
  render(call: ConsoleCall): ConsolePage | Promise<ConsolePage>
  /** Carries out a form. */
  act?(call: ConsoleCall): Promise<ActResult | undefined>
}

/** A page with its status; 200 when absent. */
export interface ConsolePage extends RenderedPage {
  readonly status?: number
}

/** The parts of the redirect after a form. */
export interface ActResult {
  readonly cookies?: readonly Cookie[]
  /** Query parameters by which the page reports the effect. */
  readonly query?: Readonly<Record<string, string>>
  /**
   * The id of the part of the page that shows the effect. The form itself carries no such id: a refused form is shown from the top, where
   * the reason stands.
   */
  readonly part?: string | undefined
}

/** Answers with the page. Browsers on other machines get the sign-in page until they have sent the control token. */
export const showPage =
  (route: ConsoleRoute, host: HttpHost): Handler =>
  async (request, tenant) => {
    const signInReply = askForToken(request, tenant, host)
    if (signInReply) return { reply: signInReply }
    const call = await callOf(request, tenant, host)
    const shown = await route.render({ ...call, fields: readSearch(request) })
    return { reply: page(shown.status ?? 200, shown) }
  }

/** Carries out a form and redirects to its page. A refused form is shown again with the reason and its fields. */
export const takeForm =
  (route: ConsoleRoute & Required<Pick<ConsoleRoute, 'act'>>, host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard)
    const call = { ...(await callOf(request, tenant, host)), fields: readForm(request) }
    try {
      const { cookies = [], query = {}, part } = (await route.act(call)) ?? {}
      const search = new URLSearchParams(query).toString()
      const hash = part === undefined ? '' : `#${part}`
      const reply = redirect(303, `${consolePathOf(tenant)}/${route.name}${search && `?${search}`}${hash}`)
      return { reply: { ...reply, cookies } }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { reply: page(error.status, await route.render({ ...call, problem: error.message })) }
    }
  }

/** The sign-in page when the control token is missing. @throws Refusal when a token would not help */
export function askForToken(request: Incoming, tenant: Tenant, host: HttpHost): Reply | undefined {
  try {
    guardControl(request, host.guard)
    return undefined
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return signInPage(tenant, host)
    throw error
  }
}

const callOf = async (request: Incoming, tenant: Tenant, host: HttpHost) => ({
  request,
  tenant,
  host,
  frame: await consoleFrame(request, tenant, host),
  params: request.params,
})

/** `POST console/status`: a button of the status strip. It removes one setting and returns to the page of the button. */
export const takeBack =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard)
    const { take_back: id, here = '' } = readForm(request)
    const cookies = await takeModeBack(id, tenant)
    const page = id === 'tenant' ? consolePathOf(host.tenants.root) : ownPage(here, tenant)
    return { reply: { ...redirect(303, page), cookies } }
  }

/** The page of this sandbox that a form names; the start of the console for any other path. */
function ownPage(here: string, tenant: Tenant): string {
  const nowhere = 'http://sandbox.invalid/nowhere'
  const { origin, pathname, search } = new URL(URL.canParse(here, nowhere) ? here : '', nowhere)
  const isOwn = pathname === `${tenant.basePath}/` || pathname.startsWith(`${tenant.basePath}/_sandbox/`)
  return origin === new URL(nowhere).origin && isOwn ? `${pathname}${search}` : consolePathOf(tenant)
}
