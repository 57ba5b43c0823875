import { ErrorReply } from '@redis/client'
import type { StoreAddress } from './redis-address.ts'

/** The codes of Redis for a state that an operator can end; any other error reply is a defect of the command. */
const PASSING = [
  ...['LOADING', 'OOM', 'READONLY', 'MISCONF', 'BUSY', 'MASTERDOWN', 'NOREPLICAS', 'CLUSTERDOWN', 'TRYAGAIN'],
  ...['NOAUTH', 'WRONGPASS', 'NOPERM', 'WRONGTYPE'],
]

/** What of an answer that is an error says its kind: mostly its first word. */
export function replyCode(error: unknown): string | undefined {
  if (!(error instanceof ErrorReply)) return undefined
  // A script reports so what its user may not do.
  if (error.message.includes('ACL failure in script')) return 'NOPERM'
  return /^[A-Z]+/.exec(error.message)?.[0]
}

export const isDefect = (error: unknown) => error instanceof ErrorReply && !PASSING.includes(replyCode(error) ?? '')

/** What to do about an error reply. */
export const remedyOfReply = (code: string | undefined): string =>
  (code && REPLY_REMEDIES[code]) ?? 'try again when it takes calls again'

const REPLY_REMEDIES: Readonly<Record<string, string>> = {
  NOAUTH: 'it asks for a password; give it in the address, redis://:PASSWORD@HOST:PORT',
  WRONGPASS: 'user or password is wrong; correct them in the address, redis://USER:PASSWORD@HOST:PORT',
  NOPERM:
    'allow its user all commands on the keys and channels agekey-sandbox:* (ACL: ~agekey-sandbox:* &agekey-sandbox:* +@all)',
  WRONGTYPE:
    'a key that begins with agekey-sandbox: holds something else than the sandbox wrote; remove it, or name another database',
  LOADING: 'it still loads its records; start again when redis-cli ping answers PONG',
}

/** Why the connection failed, in one line. */
export function redisReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return redisReason(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  // OpenSSL adds its own place in its source.
  return (error.message.split(/\r?\n/, 1)[0] || String(error.name)).replace(/^.*SSL routines:\w*:(.*?):.*$/, 'TLS: $1')
}

/** What to do when Redis cannot be reached. */
export function remedyOfConnection(cause: unknown, { isTls }: StoreAddress): string {
  const text = redisReason(cause)
  // The library passes on what Redis answers and what the system says, in errors of its own.
  const reply = /^[A-Z]+(?= )/.exec(text)?.[0] ?? ''
  if (Object.hasOwn(REPLY_REMEDIES, reply)) return remedyOfReply(reply)
  const advice = ADVICE.find(({ by, tls = isTls }) => tls === isTls && by.test(text))
  return advice?.remedy ?? 'start Redis or Valkey there, or give another address'
}

/** What a reason is known by, where it matters only with TLS or without it, and its remedy: the first that fits. */
const ADVICE: readonly { readonly by: RegExp; readonly tls?: boolean; readonly remedy: string }[] = [
  { by: /without any password|no password is set/i, remedy: 'it has no password; leave it out of the address' },
  { by: /DB index/i, remedy: 'it has no database of this number; name another one' },
  { by: /ENOTFOUND|EAI_AGAIN/, remedy: 'correct the name of the host' },
  { by: /ENOENT/, remedy: 'there is no such socket file; correct the path, or start Redis or Valkey with unixsocket' },
  { by: /EACCES/, remedy: 'let this user read and write the socket file (unixsocketperm)' },
  {
    by: /certificate|self.signed|altname/i,
    tls: true,
    remedy: 'its certificate is not trusted; name the file of its issuer in NODE_EXTRA_CA_CERTS',
  },
  {
    by: /TLS|SSL|EPROTO|closed|ECONNRESET|no answer/i,
    tls: true,
    remedy: 'start Redis or Valkey there or, if it speaks no TLS, write redis:// instead of rediss://',
  },
  {
    by: /closed|ECONNRESET|EPIPE/i,
    tls: false,
    remedy: 'write rediss:// if it speaks TLS only; if it is something else than Redis or Valkey, give another address',
  },
]
