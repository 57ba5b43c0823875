import type { ConsoleFrame } from '../http/html/console-page.ts'
import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderDemoPage } from './demo-page.ts'

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
