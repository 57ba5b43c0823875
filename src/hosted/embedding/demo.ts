import type { Handler, HttpHost } from '../../http/handler.ts'
import { html } from '../../http/html/html.ts'
import { type RenderedPage, renderPage, type Shell, shellOf } from '../../http/html/layout.ts'
import { page } from '../../http/reply.ts'
import { useIssuer } from '../../oidc/provider.ts'
import { PASSKEY_PERMISSIONS } from './embedding.ts'

/** `GET /_sandbox/embedding`: a right and a wrong iframe side by side. */
export const createEmbeddingRoute =
  ({ version, shownClient }: Pick<HttpHost, 'version' | 'shownClient'>): Handler =>
  (_request, tenant) => {
    const { provider } = tenant
    const query = new URLSearchParams({
      scope: 'openid',
      response_type: 'id_token',
      client_id: shownClient.clientId,
      redirect_uri: `${new URL(provider.baseUrl).origin}/`,
      state: 'embedding',
      nonce: 'embedding',
      claims: JSON.stringify({ age_thresholds: [13, 18] }),
    })
    // The path without the base URL: the frame then has the origin of this page.
    const useUrl = `${new URL(useIssuer(provider)).pathname}?${query}`
    return { reply: page(200, renderEmbeddingDemo(useUrl, shellOf(tenant, version)), { frames: true }) }
  }

/** The same Use request in two iframes (specification, "Embedding rules"). */
function renderEmbeddingDemo(useUrl: string, shell: Shell): RenderedPage {
  const { use, create } = PASSKEY_PERMISSIONS
  return renderPage(shell, {
    title: 'In an iframe',
    width: 'wide',
    styles: ['console.css'],
    main: html`<section class="card">
<h1>The flow in an iframe</h1>
<p>An iframe can show the flow, but it cannot finish it: the service redirects only when the flow is opened in the browser itself. Inside an iframe it ends with a message.</p>
<ul><li>Use and Upgrade: <code>allow="${use}"</code></li><li>Create: <code>allow="${create}"</code></li></ul>
</section>
<div class="columns">
<section class="card" aria-labelledby="right-title">
<h2 id="right-title">Right: with the permission</h2>
<div class="snippet"><pre><code>${`<iframe src="…/v1/oidc/use?…"\n  allow="${use}"></iframe>`}</code></pre></div>
<iframe class="embedded" title="Use flow, embedded with the permission" src="${useUrl}" allow="${use}" data-testid="right"></iframe>
</section>
<section class="card" aria-labelledby="wrong-title">
<h2 id="wrong-title">Wrong: without it</h2>
<div class="snippet"><pre><code>${`<iframe src="…/v1/oidc/use?…">\n</iframe>`}</code></pre></div>
<iframe class="embedded" title="Use flow, embedded without the permission" src="${useUrl}" allow="${use} 'none'" data-testid="wrong"></iframe>
<p class="hint">This page and the frame have the same origin, where browsers grant the permission anyway. It is taken away here, so that you see what your own page would get.</p>
</section>
</div>`,
  })
}
