import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'
import { translate } from '../http/html/messages.ts'

/** What is left when the user closes the window: no callback follows. */
export function renderClosed({ shell }: { readonly shell: Shell }): RenderedPage {
  const t = translate(shell.lang)
  return renderPage(shell, {
    title: t('closed.title'),
    main: html`<section class="card screen">
<h1>${t('closed.title')}</h1>
<p class="lead">${t('closed.lead')}</p>
</section>`,
  })
}
