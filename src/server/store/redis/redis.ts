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

/** A connection to Redis that reconnects without end. */
export interface Redis {
  /** The address without user and password. */
  readonly address: string
  /**
   * Runs commands and scripts.
   * @throws Refusal 503 when Redis does not answer within two seconds or refuses the call
   */
  call<Reply>(act: (client: RedisClient) => Promise<Reply>): Promise<Reply>
  /** Calls `listener` for each message of a channel, also after a reconnection. */
  listen(channel: string, listener: (message: string) => void): Promise<void>
  /** Calls `listener` after each (re)connection, and once a second while Redis answers pings. */
  onPulse(listener: () => void): void
  close(): void
}

export interface RedisEvents {
  /** Called once for each outage. Calls are refused until `onBack`. */
  onLost(reason: string): void
  onBack(): void
}

/** Milliseconds: longer than any command takes, shorter than clients wait. */
const MAX_ANSWER_MS = 2_000
const MAX_CONNECT_MS = 2_000
/** Milliseconds between two pings, and without any answer until the connection is replaced. */
const PING_EVERY_MS = 1_000
const MAX_SILENCE_MS = 4_000

/**
 * Connects to Redis. A lost connection is reopened without end.
 * @param url `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS, the same with
 * `valkey`, or `unix:///path[?db=1]`
 * @throws Error with one line that names the address without its password
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
  // The errors of the other connection are enough.
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
      // The client pings Redis once a second anyway, so no timer is needed.
      client.on('ping-interval', listener)
    },
    close() {
      client.destroy()
      subscriber.destroy()
    },
  }
}

/**
 * @param reconnectStrategy returns the milliseconds until the next attempt, or an error that ends
 * the attempts
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
    // Without a connection a call is refused at once: its caller would not wait for the
    // reconnection.
    disableOfflineQueue: true,
    // No timeout of the library: the breaker has its own timer, which also runs while Redis is
    // silent.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.MAP]: Map } },
    pingInterval: PING_EVERY_MS,
    socket: path === undefined ? limits : { ...limits, path },
  })
}

/**
 * Creates a circuit breaker for a service that may stop answering. A call without an answer in time
 * opens it: further calls are refused at once. A call that succeeds late, or `close`, closes it.
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
 * Redis error codes for a state that an operator can end. Any other error reply is a bug in the
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

/** The code of an error reply: usually its first word. */
function replyCode(error: unknown): string | undefined {
  if (!(error instanceof ErrorReply)) return undefined
  // A script reports missing permissions in this way.
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

/** Says in one line why the connection failed. */
function redisReason(error: unknown): string {
  if (!isError(error)) return String(error)
  // An AggregateError: each address of the host was tried.
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0)
    return redisReason(error.errors[0])
  // OpenSSL adds the place in its own source, which is removed.
  return (error.message.split(/\r?\n/, 1)[0] || String(error.name)).replace(
    /^.*SSL routines:\w*:(.*?):.*$/,
    'TLS: $1',
  )
}

function remedyOfConnection(cause: unknown, { isTls }: StoreAddress): string {
  const text = redisReason(cause)
  // The library wraps replies of Redis and system errors in errors of its own.
  const reply = /^[A-Z]+(?= )/.exec(text)?.[0] ?? ''
  if (Object.hasOwn(REPLY_REMEDIES, reply)) return remedyOfReply(reply)
  const advice = ADVICE.find(({ by, tls = isTls }) => tls === isTls && by.test(text))
  return advice?.remedy ?? 'start Redis or Valkey there, or give another address'
}

/**
 * Remedies by the text of the reason; the first that matches is used. `tls` restricts a remedy to
 * addresses with or without TLS.
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
