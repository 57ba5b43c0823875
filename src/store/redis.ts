import { createClient, RESP_TYPES } from '@redis/client'
import { Refusal } from '../oidc/refusal.ts'
import { createBreaker } from './breaker.ts'
import { parseStoreAddress, type StoreAddress } from './redis-address.ts'
import { clearFlows, recordCallScript } from './redis-journal-scripts.ts'
import { isDefect, redisReason, remedyOfConnection, remedyOfReply, replyCode } from './redis-problem.ts'
import { clearRecords, clearTables, useTenant, writeChanges } from './redis-scripts.ts'

/** The client of the library, with the scripts of the stores as methods. */
export type RedisClient = ReturnType<typeof createRedisClient>

/** A connection to Redis or Valkey. */
export interface Redis {
  /** Where it is, without user and password. */
  readonly address: string
  /** Runs commands and scripts. @throws Refusal (503) when Redis does not answer within two seconds */
  call<Reply>(act: (client: RedisClient) => Promise<Reply>): Promise<Reply>
  /** Calls `listener` for each message, also after the connection was lost and made again. */
  listen(channel: string, listener: (message: string) => void): Promise<void>
  close(): void
}

export interface RedisEvents {
  /** The connection is lost; calls are refused until it is back. Called once. */
  onLost(reason: string): void
  onBack(): void
}

/** Longer than any answer takes, and shorter than a client waits. */
const MAX_ANSWER_MS = 2_000
const MAX_CONNECT_MS = 2_000
/** A connection that receives nothing for so long, not even the answer to a ping, is replaced. */
const PING_EVERY_MS = 1_000
const MAX_SILENCE_MS = 4_000

/**
 * Connects to Redis. A connection that is lost later is made again without end.
 * @param url `redis://[user:password@]host[:port][/database]`, `rediss://` for TLS, the same with `valkey`, or `unix:///path[?db=1]`
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
  // Its errors are those of the first connection, which reports them.
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
        const problem = code ? `refuses the call (${code}); ${remedyOfReply(code)}` : 'does not answer; try again'
        throw Refusal.unavailable(`the store at ${address.shown} ${problem}`, cause)
      }
    },
    async listen(channel, listener) {
      await subscriber.subscribe(channel, listener)
    },
    close() {
      client.destroy()
      subscriber.destroy()
    },
  }
}

/** @param reconnect says in how many milliseconds a lost connection is tried again, or gives the error to stop with */
const createRedisClient = (
  { connection }: StoreAddress,
  reconnect: (retries: number, cause: Error) => number | Error,
) => {
  const limits = { connectTimeout: MAX_CONNECT_MS, socketTimeout: MAX_SILENCE_MS, reconnectStrategy: reconnect }
  const { path, ...place } = { path: undefined, ...connection }
  return createClient({
    ...place,
    RESP: 2,
    scripts: { writeChanges, clearRecords, clearTables, useTenant, recordCall: recordCallScript, clearFlows },
    // A call that cannot be answered is refused at once: it would be answered to a client that has gone.
    disableOfflineQueue: true,
    // The breaker has a timer of its own, which also counts while Redis is silent.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.MAP]: Map } },
    pingInterval: PING_EVERY_MS,
    socket: path === undefined ? limits : { ...limits, path },
  })
}
