import type { Handler, HttpHost } from '../http/handler.ts'
import { type ConsoleFrame, consoleFrame } from '../http/html/console-page.ts'
import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import type { Incoming } from '../http/incoming.ts'
import type { Reply } from '../http/reply.ts'
import { useIssuer } from '../oidc/provider.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { checkCreateCallback, checkUseCallback } from './check-callback.ts'
import { demoReply, renderDemoPage, toResult } from './demo.ts'
import { fetchKeySet } from './server-calls.ts'
import { requireSession, type Session, updateSession } from './sessions.ts'

/** The callback by GET: response mode query, or a page that reads the fragment when the query is empty. */
export const takeQuery =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    if (request.query === '') {
      return { reply: demoReply(renderFragment(consoleFrame(tenant, host)), tenant) }
    }
    return { reply: await take(request.query, { request, tenant, host }) }
  }

/** The callback by POST: response mode form_post, or the fragment that the page has read. */
export const takePost =
  (host: HttpHost): Handler =>
  async (request, tenant) => {
    return { reply: await take(Buffer.from(request.body).toString('utf8'), { request, tenant, host }) }
  }

interface Arrival {
  readonly request: Incoming
  readonly tenant: Tenant
  readonly host: HttpHost
}

/** Checks a callback against the session of the browser. A state is single use: only the first callback counts. */
async function take(encoded: string, { request, tenant, host }: Arrival): Promise<Reply> {
  const session = await requireSession(request, tenant)
  if (!session.callback) {
    const callback = await check(encoded, session, { tenant, host })
    await updateSession(request, tenant, { ...session, callback })
  }
  return toResult(tenant)
}

const check = (encoded: string, session: Session, { tenant, host }: Pick<Arrival, 'tenant' | 'host'>) =>
  session.flow === 'create'
    ? checkCreateCallback(encoded, session.state)
    : checkUseCallback(encoded, {
        request: session.request,
        startedAt: session.startedAt,
        issuer: useIssuer(tenant.provider),
        now: tenant.clock.now(),
        keySet: () => fetchKeySet({ tenant, host }),
      })

/** Response mode `fragment`: a page whose script posts what stands behind the # to the demo's server. */
export function renderFragment(frame: ConsoleFrame): RenderedPage {
  return renderDemoPage(frame, {
    title: 'Coming back',
    scripts: ['demo-callback.js'],
    main: html`<section class="card">
<h1>Coming back to the shop</h1>
<p class="lead">In the response mode fragment the answer stands behind the # of this address, which only a script can read.</p>
<form method="post" action="${frame.demoPath}/callback" data-fragment></form>
<noscript><p class="notice">Scripts are off: choose the response mode query or form_post.</p></noscript>
<p class="links"><a href="${frame.demoPath}">Start again</a></p>
</section>`,
  })
}
