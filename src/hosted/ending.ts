import type { Reply } from '../http/reply.ts'
import type { Callback } from '../oidc/callback.ts'
import type { Presentation } from '../oidc/request/presentation.ts'
import { renderCallbackForm } from './callback-form.ts'
import { renderClosed } from './closed-page.ts'
import { endsInFrame } from './embedding.ts'
import { renderFrameEnding } from './frame-ending.ts'
import { hostedReply } from './reply.ts'
import { hostedShell, type Visit } from './shell.ts'

/** The page with which a flow ends: the form that posts the callback, or what stands in place of it. */
export function endingPage(
  callback: Callback | undefined,
  { visit, presentation }: { visit: Visit; presentation?: Presentation | undefined },
): Reply {
  const shell = hostedShell(visit, presentation)
  if (!callback) return hostedReply(renderClosed({ shell }), shell)
  const { redirectUri, params } = callback
  if (endsInFrame(visit)) {
    const parameters = params.map(([name]) => name)
    return hostedReply(renderFrameEnding({ shell, target: withoutQuery(redirectUri), parameters }), shell)
  }
  return hostedReply(renderCallbackForm({ shell, redirectUri, params }), { ...shell, redirectUri })
}

function withoutQuery(redirectUri: string): string {
  const { origin, pathname } = new URL(redirectUri)
  return origin + pathname
}
