import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import {
  type ConsoleFrame,
  consoleFrame,
  renderFramedPage,
} from '../../server/http/console-page.ts'
import { type Fields, readForm } from '../../server/http/form.ts'
import type { Answer, HttpHost } from '../../server/http/handler.ts'
import type { Html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import type { Incoming } from '../../server/http/incoming.ts'
import { page, type Reply, redirect } from '../../server/http/reply.ts'
import { refuseLongValues } from '../../service/oidc/request/echoed.ts'

/** The path of a tenant's demo, without a trailing slash. */
export const demoPath = ({ basePath }: Pick<Tenant, 'basePath'>) => `${basePath}/_sandbox/demo`

/** Renders a page of the demo with the menu of the console. */
export function renderDemoPage(
  frame: ConsoleFrame,
  { title, main, scripts = [] }: { title: string; main: Html; scripts?: readonly string[] },
): RenderedPage {
  return renderFramedPage(frame, { title: `${title} · Demo app`, scripts, main })
}

/** A request for the demo. */
export interface DemoCall {
  readonly request: Incoming
  readonly tenant: Tenant
  readonly host: HttpHost
}

/**
 * Answers with a page whose forms may post to the base URL, even if the browser uses another name
 * of the sandbox.
 */
export async function showDemo(
  { request, tenant, host }: DemoCall,
  render: (frame: ConsoleFrame) => RenderedPage,
): Promise<Answer> {
  const rendered = render(await consoleFrame(request, tenant, host))
  return { reply: page(200, rendered, { formTargets: [new URL(tenant.provider.baseUrl).origin] }) }
}

export const toResult = (tenant: Tenant): Reply => redirect(303, `${demoPath(tenant)}/result`)

/**
 * Reads the fields of a form, which the session keeps.
 * @throws Refusal 400 for a field that is too long
 */
export function readDemoForm(request: Incoming): Fields {
  const fields = readForm(request)
  refuseLongValues(Object.entries(fields), 'claims')
  return fields
}
