import { type Reply, redirect } from '../http/reply.ts'
import { type Callback, callbackUrl } from '../oidc/callback.ts'
import type { Presentation } from '../oidc/request/presentation.ts'
import { endsInFrame } from './embedding.ts'
import type { Visit } from './shell.ts'

/**
 * The end of a flow: brings the callback to the relying party by a redirect or a form. In an iframe a page stands in its
 * place, and without a callback the user is told that the window would be closed.
 *
 * @param options.presentation how the request wants its pages to look, when it was valid
 */
export async function callbackReply(
  callback: Callback | undefined,
  { visit, presentation }: { visit: Visit; presentation?: Presentation | undefined },
): Promise<Reply> {
  if (callback && callback.mode !== 'form_post' && !endsInFrame(visit)) {
    return redirect(visit.request.method === 'GET' ? 302 : 303, callbackUrl(callback))
  }
  const { endingPage } = await import('./ending.ts')
  return endingPage(callback, { visit, presentation })
}
