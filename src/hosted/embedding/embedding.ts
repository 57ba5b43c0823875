import { type Html, html } from '../../http/html/html.ts'
import type { Translate } from '../../http/html/messages.ts'
import type { Incoming } from '../../http/incoming.ts'

/** Where the browser shows the page, as far as the request says. */
export interface Embedding {
  /** A header of the browser says that it loads a frame. Without that header a script of the page looks for a frame. */
  readonly framed: boolean
  /** Components in which passkeys work, when the page runs in a plain embedded web view. */
  readonly insteadOfWebView: readonly string[]
}

/** The permission that a flow needs in an iframe (specification, "Embedding rules"). */
export const PASSKEY_PERMISSIONS = {
  use: 'publickey-credentials-get',
  create: 'publickey-credentials-create',
} as const

export const embeddingOf = (request: Incoming): Embedding => ({
  framed: isFramed(request),
  insteadOfWebView: alternativesTo(request.header('user-agent') ?? ''),
})

/** Whether the visit is inside an iframe, where nothing is redirected (specification, "Embedding rules"). */
export const endsInFrame = ({ framed, request }: { framed?: boolean; request: Incoming }) => framed || isFramed(request)

const isFramed = (request: Incoming): boolean =>
  ['iframe', 'frame', 'embed', 'object', 'fencedframe'].includes(request.header('sec-fetch-dest') ?? '')

/** Android marks a plain web view with `wv`; on iOS only browsers, and views that are built like one, say `Safari`. */
function alternativesTo(userAgent: string): readonly string[] {
  if (/Android.*;\s*wv\)/.test(userAgent)) return ['Custom Tabs']
  const isPlainIos = /\b(?:iPhone|iPad|iPod)\b.*AppleWebKit\//.test(userAgent) && !userAgent.includes('Safari/')
  return isPlainIos ? ['ASWebAuthenticationSession', 'SFSafariViewController'] : []
}

/**
 * What an iframe or an embedded web view means for the flow. Every page holds the part about the iframe; the server or a
 * script shows it. The script also reads the permission, which no header holds.
 */
export function renderEmbeddingNotice(
  { framed, insteadOfWebView }: Embedding,
  flow: keyof typeof PASSKEY_PERMISSIONS,
  t: Translate,
): Html {
  const permission = PASSKEY_PERMISSIONS[flow]
  const attribute = html`<code>allow="${permission}"</code>`
  return html`${
    insteadOfWebView.length > 0 &&
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
