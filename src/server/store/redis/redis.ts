import { createClient, ErrorReply, RESP_TYPES } from '@redis/client'
import { isError } from '../../../sandbox/files/caught.ts'
import { Refusal } from '../../../service/oidc/refusal.ts'
import { parseStoreAddress, type StoreAddress } from './redis-address.ts'
import {
  addSeenScript,
  clearFlows,
  clearRecords,
  clearSeenScript,
  clearTables,
  recordCallScript,
  useTenant,
  writeChanges,
} from './redis-scripts.ts'

type RedisClient = ReturnType<typeof createRedisClient>

/** A connection to Redis, which is opened again without end when it is lost. */
export interface Redis {
  /** The address without user and password. */
  readonly address: string
  /**
   * Runs commands and scripts.
   * @throws Refusal (503) when Redis does not answer within two seconds
   */
  call<Reply>(act: (client: RedisClient) => Promise<Reply>): Promise<Reply>
  /** Calls `listener` for each message, also after a lost connection was opened again. */
  listen(channel: string, listener: (message: string) => void): Promise<void>
  /** Calls `listener` at each new connection, and each second while Redis answers. */
  onPulse(listener: () => void): void
  close(): void
}

export interface RedisEvents {
  /** Called once when the connection is lost; calls are refused until it is back. */
  onLost(reason: string): void
  onBack(): void
}

/** Milliseconds: longer than any answer takes, and shorter than a client waits. */
const MAX_ANSWER_MS = 2_000
const MAX_CONNECT_MS = 2_000
/**
 * Milliseconds of silence, without even an answer to a ping, after which a connection is replaced.
 */
const PING_EVERY_MS = 1_000
const MAX_SILENCE_MS = 4_000

/**
 * Connects to Redis. A lost connection is opened again without end.
 * @param url `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS, the same with
 * `valkey`, or `unix:///path[?db=1]`
 * @throws Error with one line that names the address, without its password
 */
export async function connectRedis(url: string, events: RedisEvents): Promise<Redis> {
  const address = parseStoreAddress(url)
  let isConnected = false
  let isLost = false
  const back = () => {
    if (isLost) events.onBack()
    isLost = false
  }
  const lost = (reason: string) => {
    if (isConnected && !isLost) events.onLost(reason)
    isLost = isConnected
  }
  const breaker = createBreaker({
    withinMs: MAX_ANSWER_MS,
    onOpen: () => lost(`no answer within ${MAX_ANSWER_MS / 1000} seconds`),
    onClose: back,
  })
  const client = createRedisClient(address, (retries, cause) =>
    isConnected ? Math.min(50 * 2 ** retries, 1_000) : cause,
  )
  client.on('error', (error: unknown) => lost(redisReason(error)))
  client.on('ready', () => {
    breaker.close()
    back()
  })
  const subscriber = client.duplicate()
  // The first connection reports its errors.
  subscriber.on('error', () => {})

  try {
    await breaker.call(() => Promise.all([client.connect(), subscriber.connect()]))
  } catch (cause) {
    client.destroy()
    subscriber.destroy()
    throw new Error(
      `store: ${address.shown} cannot be used: ${redisReason(cause)}; ${remedyOfConnection(cause, address)}`,
      { cause },
    )
  }
  isConnected = true

  return {
    address: address.shown,
    async call(act) {
      try {
        return await breaker.call(() => act(client))
      } catch (cause) {
        if (isDefect(cause)) throw cause
        const code = replyCode(cause)
        const problem = code
          ? `refuses the call (${code}); ${remedyOfReply(code)}`
          : 'does not answer; try again'
        throw Refusal.unavailable(`the store at ${address.shown} ${problem}`, cause)
      }
    },
    async listen(channel, listener) {
      await subscriber.subscribe(channel, listener)
    },
    onPulse(listener) {
      client.on('ready', listener)
      // The client asks Redis for a sign of life anyway, so no timer is added.
      client.on('ping-interval', listener)
    },
    close() {
      client.destroy()
      subscriber.destroy()
    },
  }
}

/**
 * @param reconnectStrategy the milliseconds until a lost connection is tried again, or the error
 * that ends the attempts
 */
const createRedisClient = (
  { connection }: StoreAddress,
  reconnectStrategy: (retries: number, cause: Error) => number | Error,
) => {
  const limits = {
    connectTimeout: MAX_CONNECT_MS,
    socketTimeout: MAX_SILENCE_MS,
    reconnectStrategy,
  }
  const { path, ...place } = { path: undefined, ...connection }
  return createClient({
    ...place,
    RESP: 2,
    scripts: {
      writeChanges,
      clearRecords,
      clearTables,
      useTenant,
      recordCall: recordCallScript,
      clearFlows,
      addSeen: addSeenScript,
      clearSeen: clearSeenScript,
    },
    // A call without an answer is refused at once: later, its client would be gone.
    disableOfflineQueue: true,
    // The breaker has its own timer, which also runs while Redis is silent.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.MAP]: Map } },
    pingInterval: PING_EVERY_MS,
    socket: path === undefined ? limits : { ...limits, path },
  })
}

/**
 * Calls a service that may stop answering. The first call without an answer in time opens the
 * breaker: further calls are refused at once. A late answer, or `close`, closes it.
 */
export function createBreaker(options: { withinMs: number; onOpen(): void; onClose(): void }) {
  const { withinMs, onOpen, onClose } = options
  let isOpen = false
  const silence = () => new Error(`no answer within ${withinMs / 1000} seconds`)
  const close = () => {
    if (isOpen) onClose()
    isOpen = false
  }
  const open = () => {
    if (!isOpen) onOpen()
    isOpen = true
  }
  return {
    close,
    call<Result>(act: () => Promise<Result>): Promise<Result> {
      if (isOpen) return Promise.reject(silence())
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          open()
          reject(silence())
        }, withinMs)
        act()
          .then((result) => {
            close()
            resolve(result)
          }, reject)
          .finally(() => clearTimeout(timer))
      })
    },
  }
}

/**
 * The codes of Redis for a state that an operator can end; any other error reply is a defect of the
 * command.
 */
const PASSING = [
  ...[
    'LOADING',
    'OOM',
    'READONLY',
    'MISCONF',
    'BUSY',
    'MASTERDOWN',
    'NOREPLICAS',
    'CLUSTERDOWN',
    'TRYAGAIN',
  ],
  ...['NOAUTH', 'WRONGPASS', 'NOPERM', 'WRONGTYPE'],
]

/** What of an answer that is an error says its kind: mostly its first word. */
function replyCode(error: unknown): string | undefined {
  if (!(error instanceof ErrorReply)) return undefined
  // A script reports so what its user may not do.
  if (error.message.includes('ACL failure in script')) return 'NOPERM'
  return /^[A-Z]+/.exec(error.message)?.[0]
}

const isDefect = (error: unknown) =>
  error instanceof ErrorReply && !PASSING.includes(replyCode(error) ?? '')

const remedyOfReply = (code: string | undefined): string =>
  (code && REPLY_REMEDIES[code]) ?? 'try again when it takes calls again'

const REPLY_REMEDIES: Readonly<Record<string, string>> = {
  NOAUTH: 'it asks for a password; give it in the address, redis://:PASSWORD@HOST:PORT',
  WRONGPASS:
    'user or password is wrong; correct them in the address, redis://USER:PASSWORD@HOST:PORT',
  NOPERM:
    'allow its user all commands on the keys and channels agekey-sandbox:* (ACL: ~agekey-sandbox:* &agekey-sandbox:* +@all)',
  WRONGTYPE:
    'a key that begins with agekey-sandbox: holds something else than the sandbox wrote; remove it, or name another database',
  LOADING: 'it still loads its records; start again when redis-cli ping answers PONG',
}

/** Why the connection failed, in one line. */
function redisReason(error: unknown): string {
  if (!isError(error)) return String(error)
  // Each address of the host was tried.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return redisReason(error.errors[0])
  // OpenSSL adds its own place in its source.
  return (error.message.split(/\r?\n/, 1)[0] || String(error.name)).replace(
    /^.*SSL routines:\w*:(.*?):.*$/,
    'TLS: $1',
  )
}

function remedyOfConnection(cause: unknown, { isTls }: StoreAddress): string {
  const text = redisReason(cause)
  // The library passes on what Redis answers and what the system says, in errors of its own.
  const reply = /^[A-Z]+(?= )/.exec(text)?.[0] ?? ''
  if (Object.hasOwn(REPLY_REMEDIES, reply)) return remedyOfReply(reply)
  const advice = ADVICE.find(({ by, tls = isTls }) => tls === isTls && by.test(text))
  return advice?.remedy ?? 'start Redis or Valkey there, or give another address'
}

/**
 * What a reason is known by, where it matters only with TLS or without it, and its remedy: the
 * first that fits.
 */
const ADVICE: readonly { readonly by: RegExp; readonly tls?: boolean; readonly remedy: string }[] =
  [
    {
      by: /without any password|no password is set/i,
      remedy: 'it has no password; leave it out of the address',
    },
    { by: /DB index/i, remedy: 'it has no database of this number; name another one' },
    { by: /ENOTFOUND|EAI_AGAIN/, remedy: 'correct the name of the host' },
    {
      by: /ENOENT/,
      remedy:
        'there is no such socket file; correct the path, or start Redis or Valkey with unixsocket',
    },
    { by: /EACCES/, remedy: 'let this user read and write the socket file (unixsocketperm)' },
    {
      by: /certificate|self.signed|altname/i,
      tls: true,
      remedy: 'its certificate is not trusted; name the file of its issuer in NODE_EXTRA_CA_CERTS',
    },
    {
      by: /TLS|SSL|EPROTO|closed|ECONNRESET|no answer/i,
      tls: true,
      remedy:
        'start Redis or Valkey there or, if it speaks no TLS, write redis:// instead of rediss://',
    },
    {
      by: /closed|ECONNRESET|EPIPE/i,
      tls: false,
      remedy:
        'write rediss:// if it speaks TLS only; if it is something else than Redis or Valkey, give another address',
    },
  ]
