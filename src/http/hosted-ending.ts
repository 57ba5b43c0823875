import type { Callback } from '../oidc/callback.ts'
import type { Presentation } from '../oidc/presentation.ts'
import { renderCallbackForm } from '../pages/callback-form.ts'
import { renderClosed } from '../pages/closed.ts'
import { renderFrameEnding } from '../pages/frame-ending.ts'
import { endsInFrame } from './hosted-embedding.ts'
import { hostedReply } from './hosted-reply.ts'
import { hostedShell, type Visit } from './hosted-shell.ts'
import type { Reply } from './reply.ts'

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
