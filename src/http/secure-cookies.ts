import type { Incoming } from './incoming.ts'
import type { Reply } from './reply.ts'

/** The reply as a browser gets it by https: its cookie is for https alone. */
export function withSecureCookie(reply: Reply, request: Pick<Incoming, 'protocol'>): Reply {
  const cookie = reply.headers['Set-Cookie']
  if (cookie === undefined || request.protocol !== 'https' || /;\s*secure(?:;|$)/i.test(cookie)) return reply
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': `${cookie}; Secure` } }
}
