import { type Html, html } from '../../http/html/html.ts'
import type { Translate } from '../../http/html/messages.ts'
import { renderPendingFields, type WaitingPage } from '../waiting-page.ts'
import { PASSKEY_PERMISSIONS } from './embedding.ts'

/**
 * Explains an iframe or an embedded web view. Every page contains the part about the iframe; the server or a script shows it. The script
 * also reads the permission, which no header holds. Where no passkey works, the notice offers to continue in the sandbox anyway.
 */
export function renderEmbeddingNotice(
  { embedding, continued }: Pick<WaitingPage, 'embedding' | 'continued'>,
  flow: keyof typeof PASSKEY_PERMISSIONS,
  t: Translate,
): Html {
  const permission = PASSKEY_PERMISSIONS[flow]
  const attribute = html`<code>allow="${permission}"</code>`
  const { framed, insteadOfWebView } = embedding
  const isWebView = insteadOfWebView.length > 0
  const more = !continued && renderContinueButton(t)
  return html`${
    isWebView &&
    html`<section class="card warning" data-testid="web-view" aria-labelledby="web-view-title">
<p class="notice-title" id="web-view-title">${t('webview.title')}</p>
<p>${t('webview.lead')}</p>
<p>${t('webview.fix', { components: insteadOfWebView.join(', ') })}</p>
${more}
</section>`
  }
<section class="card warning" data-embedding="${permission}" data-testid="iframe" aria-labelledby="iframe-title"${continued && html` data-continued`}${!framed && html` hidden`}>
<p class="notice-title" id="iframe-title">${t('frame.title')}</p>
<p>${t('frame.lead')}</p>
<p data-permission="unknown">${t('frame.unknown')} ${attribute}</p>
<p data-permission="denied" hidden>${t('frame.denied')} ${attribute}</p>
<p data-permission="allowed" hidden>${t('frame.allowed')} ${attribute}</p>
${!isWebView && more && html`<div class="actions" data-permission="denied" hidden>${more}</div>`}
</section>`
}

const renderContinueButton = (t: Translate): Html =>
  html`<button class="secondary" form="continue-form" data-testid="continue-anyway" aria-describedby="continue-hint">${t('continue.button')}</button>
<p class="hint" id="continue-hint">${t('continue.hint')}</p>`

/** The form of the button "continue anyway": it shows the page again with all its choices. */
export function renderContinueForm(page: WaitingPage): Html | false {
  return (
    !page.continued &&
    html`<form id="continue-form" method="post" action="${page.path}/continue">${renderPendingFields(page)}</form>
`
  )
}
