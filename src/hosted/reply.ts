import type { RenderedPage } from '../http/html/layout.ts'
import { page, type Reply } from '../http/reply.ts'

/** A hosted page in a language. Its forms may go to the sandbox and, when there is one, to the origin of `redirectUri`. */
export function hostedReply(
  rendered: RenderedPage,
  { lang, redirectUri }: { lang: string; redirectUri?: string },
): Reply {
  const reply = page(200, rendered, { formTargets: redirectUri === undefined ? [] : [formTarget(redirectUri)] })
  return { ...reply, headers: { ...reply.headers, 'Content-Language': lang } }
}

/** A source of `form-action`: CSP has no syntax for IPv6 addresses, so there the scheme must do. */
function formTarget(redirectUri: string): string {
  const { protocol, hostname, origin } = new URL(redirectUri)
  return hostname.startsWith('[') ? protocol : origin
}
