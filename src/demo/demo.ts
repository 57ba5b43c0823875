import { consoleFrame } from '../http/console-frame.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { page, type Reply, redirect } from '../http/reply.ts'
import type { HttpHost } from '../http/route.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Sessions } from './sessions.ts'

/** What the routes of the demo share. */
export interface Demo {
  readonly host: HttpHost
  readonly sessions: Sessions
}

/** The address of the demo's pages below that of the tenant. */
export const demoPath = ({ basePath }: Pick<Tenant, 'basePath'>) => `${basePath}/_sandbox/demo`

/** A page whose forms may end at the base URL, by whatever name the browser knows the sandbox. */
export const demoReply = (rendered: RenderedPage, { provider }: Tenant): Reply =>
  page(200, rendered, { formTargets: [new URL(provider.baseUrl).origin] })

export const demoFrame = (tenant: Tenant, { host }: Demo) => consoleFrame(tenant, host)

/** Sends the browser on, with the cookie of a session that began. */
export function sendTo(url: string, cookie?: string): Reply {
  const reply = redirect(303, url)
  return cookie === undefined ? reply : { ...reply, headers: { ...reply.headers, 'Set-Cookie': cookie } }
}

export const toResult = (tenant: Tenant): Reply => redirect(303, `${demoPath(tenant)}/result`)
