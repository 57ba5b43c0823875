import type { Callback } from '../../service/oidc/callback.ts'
import type { Presentation } from '../../service/oidc/request/presentation.ts'
import { html } from '../http/html/html.ts'
import { type RenderedPage, renderPage, type Shell } from '../http/html/layout.ts'
import { translate } from '../http/html/messages.ts'
import type { Reply } from '../http/reply.ts'
import { endsInFrame } from './embedding.ts'
import { type HostedRequest, hostedReply, hostedShell } from './shell.ts'

/**
 * The page that ends a flow: the form that posts the callback, or an explanation where no callback
 * is sent.
 */
export function endingPage(
  callback: Callback | undefined,
  {
    hosted,
    presentation,
    isUnsaved = false,
  }: {
    hosted: HostedRequest
    presentation?: Presentation | undefined
    isUnsaved?: boolean | undefined
  },
): Reply {
  const shell = hostedShell(hosted, presentation)
  if (!callback) return hostedReply(renderClosed(shell), shell)
  if (endsInFrame(hosted))
    return hostedReply(renderFrameEnding(callback, { shell, isUnsaved }), shell)
  return hostedReply(renderCallbackForm(callback, shell), {
    ...shell,
    redirectUri: callback.redirectUri,
  })
}

/**
 * Renders the form that posts the callback to the relying party (OAuth 2.0 Form Post Response
 * Mode). A script submits the form. Without scripts the user presses the button, which has no name
 * and so adds no parameter.
 */
export function renderCallbackForm(
  { redirectUri, params }: Omit<Callback, 'mode'>,
  shell: Shell,
): RenderedPage {
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

/**
 * Renders the end of a flow inside an iframe, where the service does not redirect (specification,
 * "Embedding rules"). The page shows the target of the redirect without its query, and the names of
 * the parameters without their values.
 */
function renderFrameEnding(
  { redirectUri, params }: Callback,
  { shell, isUnsaved }: { shell: Shell; isUnsaved: boolean },
): RenderedPage {
  const t = translate(shell.lang)
  const { origin, pathname } = new URL(redirectUri)
  return renderPage(shell, {
    title: t('frame.ended.title'),
    main: html`<section class="card screen" data-testid="ended-in-iframe">
<h1>${t('frame.ended.title')}</h1>
<p>${t('frame.ended.lead')}</p>
${isUnsaved && html`<p data-testid="unsaved"><strong>${t('frame.ended.unsaved')}</strong></p>`}
<p>${t('frame.ended.target', { target: origin + pathname })}</p>
<ul class="row">${params.map(([name]) => html`<li class="tag"><code>${name}</code></li>`)}</ul>
<p class="notice">${t('frame.ended.fix')}</p>
</section>`,
  })
}

/** Renders the page for a closed window: no callback follows. */
function renderClosed(shell: Shell): RenderedPage {
  const t = translate(shell.lang)
  return renderPage(shell, {
    title: t('closed.title'),
    main: html`<section class="card screen">
<h1>${t('closed.title')}</h1>
<p data-testid="closed">${t('closed.lead')}</p>
</section>`,
  })
}
