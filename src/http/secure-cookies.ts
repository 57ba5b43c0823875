import type { Reply } from './reply.ts'

/** The reply as a browser gets it by https: its cookie is for https alone. */
export function withSecureCookie(reply: Reply): Reply {
  const cookie = reply.headers['Set-Cookie']
  if (cookie === undefined || /;\s*secure(?:;|$)/i.test(cookie)) return reply
  return { ...reply, headers: { ...reply.headers, 'Set-Cookie': `${cookie}; Secure` } }
}
