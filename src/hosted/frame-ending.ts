import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'
import { translate } from '../http/html/messages.ts'

/** The end of a flow inside an iframe. */
export interface FrameEndingView {
  readonly shell: Shell
  /** Where a redirect would have gone, without its query. */
  readonly target: string
  /** Names of the parameters that it would have carried. The values stay here: nothing leaves an iframe. */
  readonly parameters: readonly string[]
}

/** What stands in place of the redirect when the flow was in an iframe (specification, "Embedding rules"). */
export function renderFrameEnding({ shell, target, parameters }: FrameEndingView): RenderedPage {
  const t = translate(shell.lang)
  return renderPage(shell, {
    title: t('frame.ended.title'),
    main: html`<section class="card screen" data-testid="ended-in-iframe">
<h1>${t('frame.ended.title')}</h1>
<p class="lead">${t('frame.ended.lead')}</p>
<p>${t('frame.ended.target', { target })}</p>
<ul class="suggestions">${parameters.map((name) => html`<li><code>${name}</code></li>`)}</ul>
<p class="notice">${t('frame.ended.fix')}</p>
</section>`,
  })
}
