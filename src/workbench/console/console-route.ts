import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import {
  type ConsoleFrame,
  type ConsolePath,
  type ConsolePlace,
  consoleFrame,
  consolePathOf,
  consolePlace,
} from '../../server/http/console-page.ts'
import type { Cookie } from '../../server/http/cookie.ts'
import { type Fields, readForm, readSearch } from '../../server/http/form.ts'
import { guardControl, signInCookie } from '../../server/http/guard/guard.ts'
import type { Handler, HttpHost } from '../../server/http/handler.ts'
import { html } from '../../server/http/html/html.ts'
import { type RenderedPage, renderPage } from '../../server/http/html/layout.ts'
import type { Incoming } from '../../server/http/incoming.ts'
import { page, type Reply, redirect } from '../../server/http/reply.ts'
import { takeModeBack } from '../../server/http/status.ts'
import { Refusal } from '../../service/oidc/refusal.ts'

/** A request for a page of the console. */
export interface ConsoleCall {
  readonly request: Incoming
  readonly tenant: Tenant
  readonly host: HttpHost
  readonly frame: ConsoleFrame
  /** The fields of the query; for a refused form, the fields of the form. */
  readonly fields: Fields
  /** Why a form was refused. */
  readonly problem?: string
}

/** One page of the console, with its forms. */
export interface ConsoleRoute {
  readonly name: ConsolePath
  /** The path below the path of the page: `/:id`. */
  readonly below?: string
  render(call: ConsoleCall): ConsolePage | Promise<ConsolePage>
  /**
   * Carries out a submitted form.
   * @throws Refusal, whose message the page then shows
   */
  act?(call: ConsoleCall): Promise<ActResult | undefined>
}

/** A page with its status; 200 when absent. */
export interface ConsolePage extends RenderedPage {
  readonly status?: number
}

/** The result of a form: the parts of the redirect to the page. */
export interface ActResult {
  readonly cookies?: readonly Cookie[]
  /** Query parameters with which the page reports the effect. */
  readonly query?: Readonly<Record<string, string>>
  /**
   * The id of the page section that shows the effect. The form posts to a URL without this id, so
   * that a refused form is shown from the top, where the reason stands.
   */
  readonly part?: string | undefined
}

/**
 * What the forms of a page share: the URL they post to, and the fields that a link or a refused
 * form has filled in.
 */
export interface FormState {
  readonly action: string
  readonly fields: Fields
}

/**
 * Shows a page. Browsers on other machines get the sign-in page until they have sent the control
 * token.
 */
export const showPage =
  (route: ConsoleRoute, host: HttpHost): Handler =>
  async (request, tenant) => {
    const signInReply = askForToken(request, tenant, host)
    if (signInReply) return { reply: signInReply }
    const call = await callOf(request, tenant, host)
    const shown = await route.render({ ...call, fields: readSearch(request) })
    return { reply: page(shown.status ?? 200, shown) }
  }

/**
 * Carries out a form and redirects to its page. A refused form is shown again with the reason and
 * its fields.
 */
export const takeForm =
  (route: ConsoleRoute & Required<Pick<ConsoleRoute, 'act'>>, host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard)
    const call = { ...(await callOf(request, tenant, host)), fields: readForm(request) }
    try {
      const { cookies = [], query = {}, part } = (await route.act(call)) ?? {}
      const search = new URLSearchParams(query).toString()
      const hash = part === undefined ? '' : `#${part}`
      const reply = redirect(
        303,
        `${consolePathOf(tenant)}/${route.name}${search && `?${search}`}${hash}`,
      )
      return { reply: { ...reply, cookies } }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { reply: page(error.status, await route.render({ ...call, problem: error.message })) }
    }
  }

/** Why the caller may not drive the sandbox; `undefined` if the caller may. */
export function refusalToDrive(request: Incoming, { guard }: HttpHost): Refusal | undefined {
  try {
    guardControl(request, guard)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

/**
 * Returns the sign-in page when the control token is missing.
 * @throws Refusal when a token would not help
 */
export function askForToken(request: Incoming, tenant: Tenant, host: HttpHost): Reply | undefined {
  const refusal = refusalToDrive(request, host)
  if (refusal && refusal.status !== 401) throw refusal
  return refusal && signInPage(tenant, host)
}

const callOf = async (request: Incoming, tenant: Tenant, host: HttpHost) => ({
  request,
  tenant,
  host,
  frame: await consoleFrame(request, tenant, host),
})

/**
 * `POST console/status`: a button of the status strip. It removes a setting and returns to the page
 * with the button.
 */
export const takeBack =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    guardControl(request, host.guard)
    const { take_back: id, here = '' } = readForm(request)
    const cookies = await takeModeBack(id, tenant)
    const page = id === 'tenant' ? consolePathOf(host.tenants.root) : ownPage(here, tenant)
    return { reply: { ...redirect(303, page), cookies } }
  }

/**
 * The page to return to. A path outside the tenant becomes the start of the console, so that a form
 * cannot redirect elsewhere.
 */
function ownPage(here: string, tenant: Tenant): string {
  const nowhere = 'http://sandbox.invalid/nowhere'
  const { origin, pathname, search } = new URL(URL.canParse(here, nowhere) ? here : '', nowhere)
  const isOwn =
    pathname === `${tenant.basePath}/` || pathname.startsWith(`${tenant.basePath}/_sandbox/`)
  return origin === new URL(nowhere).origin && isOwn
    ? `${pathname}${search}`
    : consolePathOf(tenant)
}

/** The sign-in page, which replaces every page of the console for a browser without the cookie. */
const signInPage = (tenant: Tenant, host: HttpHost, problem?: string): Reply =>
  page(401, renderSignIn(consolePlace(tenant, host), problem))

/** Accepts the control token and sets a cookie, so that the browser sends the token only once. */
export const signIn =
  (host: HttpHost): Handler =>
  (request, tenant) => {
    const { root } = host.tenants
    const secure = root.provider.baseUrl.startsWith('https:')
    const cookie = signInCookie(request, host.guard, { path: root.basePath || '/', secure })
    if (cookie === undefined) {
      return {
        reply: signInPage(tenant, host, 'Token: this is not the control token of this sandbox.'),
      }
    }
    return { reply: { ...redirect(303, `${consolePathOf(tenant)}/flows`), cookies: [cookie] } }
  }

/**
 * Renders the page that asks a browser on another machine for the control token. The form posts
 * `token`.
 */
export function renderSignIn({ shell, consolePath }: ConsolePlace, problem?: string): RenderedPage {
  return renderPage(shell, {
    styles: ['console.css'],
    title: 'Sign in to the console',
    main: html`<section class="card">
<h1>Sign in to the console</h1>
<p class="muted">This sandbox can be reached from other machines, so its console asks for the control token that it was started with.</p>
${problem !== undefined && html`<p class="notice no" role="alert" data-testid="problem">${problem}</p>`}
<form class="stack" method="post" action="${consolePath}/sign-in">
<div class="field">
<label for="token">Control token</label>
<input id="token" name="token" type="password" required autocomplete="current-password" aria-describedby="token-hint">
<p class="hint" id="token-hint">The value of <code>--control-token</code>. This browser keeps a digest of it, not the token.</p>
</div>
<button class="primary">Sign in</button>
</form>
</section>`,
  })
}
