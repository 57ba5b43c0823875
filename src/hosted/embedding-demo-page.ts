import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'
import type { PasskeyPermission } from './embedding-notice.ts'

/** What the page about iframes shows: one Use request, embedded twice. */
export interface EmbeddingPageView {
  readonly shell: Shell
  /** A complete E1 request. */
  readonly useUrl: string
}

const NEEDED: readonly { readonly flows: string; readonly permission: PasskeyPermission }[] = [
  { flows: 'Use and Upgrade', permission: 'publickey-credentials-get' },
  { flows: 'Create', permission: 'publickey-credentials-create' },
]

/** A right and a wrong embedding side by side, each with the same live request (specification, "Embedding rules"). */
export function renderEmbedding({ shell, useUrl }: EmbeddingPageView): RenderedPage {
  return renderPage(shell, {
    title: 'In an iframe',
    width: 'wide',
    styles: ['console.css'],
    main: html`<section class="card">
<h1>The flow in an iframe</h1>
<p class="lead">An iframe can show the flow, but it cannot finish it: the service redirects only when the flow is opened in the browser itself. Inside an iframe it ends with a message.</p>
<ul>${NEEDED.map(({ flows, permission }) => html`<li>${flows}: <code>allow="${permission}"</code></li>`)}</ul>
</section>
<div class="columns">
<section class="card" aria-labelledby="right-title">
<h2 id="right-title">Right: with the permission</h2>
<div class="snippet"><pre><code>${`<iframe src="…/v1/oidc/use?…"\n  allow="publickey-credentials-get"></iframe>`}</code></pre></div>
<iframe class="embedded" title="Use flow, embedded with the permission" src="${useUrl}" allow="publickey-credentials-get" data-testid="right"></iframe>
</section>
<section class="card" aria-labelledby="wrong-title">
<h2 id="wrong-title">Wrong: without it</h2>
<div class="snippet"><pre><code>${`<iframe src="…/v1/oidc/use?…">\n</iframe>`}</code></pre></div>
<iframe class="embedded" title="Use flow, embedded without the permission" src="${useUrl}" allow="publickey-credentials-get 'none'" data-testid="wrong"></iframe>
<p class="hint">This page and the frame have the same origin, where browsers grant the permission anyway. It is taken away here, so that you see what your own page would get.</p>
</section>
</div>`,
  })
}
