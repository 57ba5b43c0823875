import { type ConsolePlace, consolePathOf, consolePlace } from '../http/console-page.ts'
import { signInCookie } from '../http/guard/guard.ts'
import type { Handler, HttpHost } from '../http/handler.ts'
import { html } from '../http/html/html.ts'
import { type RenderedPage, renderPage } from '../http/html/layout.ts'
import { page, type Reply, redirect } from '../http/reply.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'

/** The answer to a browser without the cookie, in place of any page of the console. */
export const signInPage = (tenant: Tenant, host: HttpHost, problem?: string): Reply =>
  page(401, renderSignIn(consolePlace(tenant, host), problem))

/** Accepts the control token once, and remembers the browser by a cookie. */
export const signIn =
  (host: HttpHost): Handler =>
  (request, tenant) => {
    const { root } = host.tenants
    const secure = root.provider.baseUrl.startsWith('https:')
    const cookie = signInCookie(request, host.guard, { path: root.basePath || '/', secure })
    if (cookie === undefined) {
      return { reply: signInPage(tenant, host, 'Token: this is not the control token of this sandbox.') }
    }
    return { reply: { ...redirect(303, `${consolePathOf(tenant)}/flows`), cookies: [cookie] } }
  }

/** Asks a browser on another machine for the control token, once. The form posts `token`. */
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
