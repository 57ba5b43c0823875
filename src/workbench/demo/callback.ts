import type { ConsoleFrame } from '../../server/http/console-page.ts'
import type { Answer, Handler, HttpHost } from '../../server/http/handler.ts'
import { html } from '../../server/http/html/html.ts'
import type { RenderedPage } from '../../server/http/html/layout.ts'
import { createIssuer, useIssuer } from '../../service/oidc/provider.ts'
import { refuseLongValues } from '../../service/oidc/request/echoed.ts'
import { decodePairs } from '../../service/oidc/request/parameters.ts'
import { type Arrived, checkCreateCallback, checkUseCallback } from './checks/check-callback.ts'
import { type DemoCall, renderDemoPage, showDemo, toResult } from './demo.ts'
import { readKeys } from './server-calls.ts'
import { requireSession, updateSession } from './sessions.ts'

/**
 * Serves the callback by GET: response mode `query`, or with an empty query a page that reads the
 * fragment.
 */
export const takeQuery =
  (host: HttpHost): Handler =>
  (request, tenant) => {
    const call = { request, tenant, host }
    const encoded = request.query
    return encoded === '' ? showDemo(call, renderFragment) : take({ encoded, mode: 'query' }, call)
  }

/** Serves the callback by POST: response mode `form_post`, or the fragment that the page read. */
export const takePost =
  (host: HttpHost): Handler =>
  (request, tenant) => {
    const encoded = Buffer.from(request.body).toString('utf8')
    const mode = request.query === FROM_FRAGMENT ? 'fragment' : 'form_post'
    return take({ encoded, mode }, { request, tenant, host })
  }

/** The query that marks a POST of the page that reads the fragment. */
const FROM_FRAGMENT = 'from=fragment'

/**
 * Checks a callback against the session of the browser. A state is single use, so only the first
 * callback counts.
 * @throws Refusal 400 for a parameter that is too long to keep
 */
async function take(arrived: Arrived, { request, tenant, host }: DemoCall): Promise<Answer> {
  const session = await requireSession(request, tenant)
  refuseLongValues(decodePairs(arrived.encoded), 'id_token')
  if (!session.callback) {
    const { provider, clock } = tenant
    const callback =
      session.flow === 'create'
        ? checkCreateCallback(arrived, { state: session.state, issuer: createIssuer(provider) })
        : await checkUseCallback(arrived, {
            request: session.request,
            startedAt: session.startedAt,
            issuer: useIssuer(provider),
            now: clock.now(),
            fetchKeys: () => readKeys({ tenant, host }),
          })
    await updateSession(request, tenant, { ...session, callback })
  }
  return { reply: toResult(tenant) }
}

/**
 * Renders the page for response mode `fragment`. Its script posts the fragment to the demo's
 * server.
 */
export function renderFragment(frame: ConsoleFrame): RenderedPage {
  return renderDemoPage(frame, {
    title: 'Coming back',
    scripts: ['demo-callback.js'],
    main: html`<section class="card">
<h1>Coming back to the shop</h1>
<p>In the response mode fragment the answer stands behind the # of this address, which only a script can read.</p>
<form method="post" action="${frame.demoPath}/callback?${FROM_FRAGMENT}" data-fragment></form>
<noscript><p class="notice">Scripts are off: choose the response mode query or form_post.</p></noscript>
<p class="row links"><a href="${frame.demoPath}">Start again</a></p>
</section>`,
  })
}
