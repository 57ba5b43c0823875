import type { Incoming } from '../http/incoming.ts'
import type { EmbeddingView } from './embedding-notice.ts'
import type { Visit } from './shell.ts'

/** Whether the browser loads the page into a frame: then nothing is redirected (specification, "Embedding rules"). */
export const isFramed = (request: Incoming): boolean =>
  ['iframe', 'frame', 'embed', 'object', 'fencedframe'].includes(request.header('sec-fetch-dest') ?? '')

/** Whether the visit is inside an iframe: then nothing goes back to the relying party. */
export const endsInFrame = ({ framed, request }: Visit) => framed || isFramed(request)

/** What the page must say about where it is shown. */
export function embeddingView(request: Incoming, flow: 'use' | 'create'): EmbeddingView {
  const insteadOfWebView = alternativesTo(request.header('user-agent') ?? '')
  return {
    permission: flow === 'use' ? 'publickey-credentials-get' : 'publickey-credentials-create',
    framed: isFramed(request),
    ...(insteadOfWebView ? { insteadOfWebView } : {}),
  }
}

/** Android marks a plain web view with `wv`; on iOS only browsers, and what is built like one, say `Safari`. */
function alternativesTo(userAgent: string): readonly string[] | undefined {
  if (/Android.*;\s*wv\)/.test(userAgent)) return ['Custom Tabs']
  const isPlainIos = /\b(?:iPhone|iPad|iPod)\b.*AppleWebKit\//.test(userAgent) && !userAgent.includes('Safari/')
  return isPlainIos ? ['ASWebAuthenticationSession', 'SFSafariViewController'] : undefined
}
