import { readForm } from '../http/form.ts'
import { signInCookie } from '../http/guard.ts'
import { consolePathOf } from '../http/html/console-page.ts'
import { page, type Reply, redirect } from '../http/reply.ts'
import type { Handler, HttpHost } from '../http/route.ts'
import { refuseCrossSite } from '../http/same-origin.ts'
import { shellOf } from '../http/shell.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { renderSignIn } from './sign-in-page.ts'

/** What a browser without the cookie sees in place of any page of the console. */
export function signInPage(tenant: Tenant, host: HttpHost, problem?: string): Reply {
  const view = { shell: shellOf(tenant, host.version), action: `${consolePathOf(tenant)}/sign-in` }
  return page(401, renderSignIn({ ...view, ...(problem === undefined ? {} : { problem }) }))
}

/** Takes the control token once and remembers the browser by a cookie. */
export const signIn =
  (host: HttpHost): Handler =>
  (request, tenant) => {
    refuseCrossSite(request, host.guard.origins)
    const { root } = host.tenants
    const secure = root.provider.baseUrl.startsWith('https:')
    const cookie = signInCookie(readForm(request)['token'] ?? '', host.guard, { path: root.basePath || '/', secure })
    if (cookie === undefined) {
      return { reply: signInPage(tenant, host, 'Token: this is not the control token of this sandbox.') }
    }
    const reply = redirect(303, `${consolePathOf(tenant)}/flows`)
    return { reply: { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } } }
  }
