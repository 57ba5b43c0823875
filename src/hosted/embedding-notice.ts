import { type Html, html } from '../http/html/html.ts'
import type { Translate } from '../http/html/messages.ts'

/** The permission that a flow needs in an iframe (specification, "Embedding rules"). */
export type PasskeyPermission = 'publickey-credentials-get' | 'publickey-credentials-create'

/** Where the page is shown, as far as the request tells. */
export interface EmbeddingView {
  readonly permission: PasskeyPermission
  /** The browser said that it loads a frame. When it did not, a script still finds out. */
  readonly framed: boolean
  /** What a passkey could work in, when the page runs in a plain embedded web view. */
  readonly insteadOfWebView?: readonly string[]
}

/**
 * Says what an iframe or an embedded web view means for the flow. The part about the iframe is there on every page and shown
 * by the server or by a script, which also finds out about the permission: no header tells it.
 */
export function renderEmbeddingNotice({ permission, framed, insteadOfWebView }: EmbeddingView, t: Translate): Html {
  const attribute = html`<code>allow="${permission}"</code>`
  return html`${
    insteadOfWebView !== undefined &&
    html`<section class="card warning" data-testid="web-view" aria-labelledby="web-view-title">
<p class="notice-title" id="web-view-title">${t('webview.title')}</p>
<p>${t('webview.lead')}</p>
<p>${t('webview.fix', { components: insteadOfWebView.join(', ') })}</p>
</section>`
  }
<section class="card warning" data-embedding="${permission}" data-testid="iframe" aria-labelledby="iframe-title"${!framed && html` hidden`}>
<p class="notice-title" id="iframe-title">${t('frame.title')}</p>
<p>${t('frame.lead')}</p>
<p data-permission="unknown">${t('frame.unknown')} ${attribute}</p>
<p data-permission="denied" hidden>${t('frame.denied')} ${attribute}</p>
<p data-permission="allowed" hidden>${t('frame.allowed')} ${attribute}</p>
</section>`
}
