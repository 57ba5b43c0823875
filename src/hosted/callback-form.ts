import { html } from '../http/html/html.ts'
import type { RenderedPage } from '../http/html/layout.ts'
import { renderPage, type Shell } from '../http/html/layout.ts'
import { translate } from '../http/html/messages.ts'

/** What a callback in the response mode `form_post` carries. */
export interface CallbackFormView {
  readonly shell: Shell
  /** The redirect_uri as the client gave it, with its own query. */
  readonly redirectUri: string
  /** The parameters of the callback, in order. */
  readonly params: readonly (readonly [name: string, value: string])[]
}

/**
 * Form Post Response Mode: a form that brings the callback to the relying party. A script submits it at once; without
 * scripts the user presses the button, which has no name and so adds nothing to the form.
 */
export function renderCallbackForm({ shell, redirectUri, params }: CallbackFormView): RenderedPage {
  const t = translate(shell.lang)
  return renderPage(shell, {
    title: t('callback.title'),
    scripts: ['submit.js'],
    main: html`<section class="card screen">
<h1>${t('callback.title')}</h1>
<p class="muted">${t('callback.lead')}</p>
<form method="post" action="${redirectUri}" data-submit>
${params.map(
  ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">
`,
)}<div class="actions"><button class="primary">${t('callback.continue')}</button></div>
</form>
</section>`,
  })
}
