import { type Callback, callbackUrl } from '../oidc/callback.ts'
import type { Presentation } from '../oidc/presentation.ts'
import { renderCallbackForm } from '../pages/callback-form.ts'
import { renderClosed } from '../pages/closed.ts'
import { renderFrameEnding } from '../pages/frame-ending.ts'
import { isFramed } from './hosted-embedding.ts'
import { hostedReply } from './hosted-reply.ts'
import { hostedShell, type Visit } from './hosted-shell.ts'
import { type Reply, redirect } from './reply.ts'

/**
 * The end of a flow: brings the callback to the relying party by a redirect or a form. In an iframe a page stands in its
 * place, and without a callback the user is told that the window would be closed.
 *
 * @param options.presentation how the request wants its pages to look, when it was valid
 */
export function callbackReply(
  callback: Callback | undefined,
  { visit, presentation }: { visit: Visit; presentation?: Presentation | undefined },
): Reply {
  const isPage = !callback || callback.mode === 'form_post' || endsInFrame(visit)
  if (!isPage) return redirect(visit.request.method === 'GET' ? 302 : 303, callbackUrl(callback))

  const shell = hostedShell(visit, presentation)
  if (!callback) return hostedReply(renderClosed({ shell }), shell)
  const { redirectUri, params } = callback
  if (endsInFrame(visit)) {
    const parameters = params.map(([name]) => name)
    return hostedReply(renderFrameEnding({ shell, target: withoutQuery(redirectUri), parameters }), shell)
  }
  return hostedReply(renderCallbackForm({ shell, redirectUri, params }), { ...shell, redirectUri })
}

/** Whether the visit is inside an iframe: then nothing goes back to the relying party. */
export const endsInFrame = ({ framed, request }: Visit) => framed || isFramed(request)

function withoutQuery(redirectUri: string): string {
  const { origin, pathname } = new URL(redirectUri)
  return origin + pathname
}
