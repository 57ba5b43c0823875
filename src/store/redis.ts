import { createHash } from 'node:crypto'
import { createClient, ErrorReply, RESP_TYPES } from '@redis/client'
import { Refusal } from '../oidc/refusal.ts'
import { createBreaker } from './breaker.ts'
import { shownAddress } from './redis-address.ts'
import * as scripts from './redis-scripts.ts'

/** A Lua script of the journal, which Redis runs as one step. */
export interface Script {
  readonly source: string
  /** By which Redis knows the script that it has run before. */
  readonly sha1: string
}

export const defineScript = (source: string): Script => ({
  source,
  sha1: createHash('sha1').update(source).digest('hex'),
})

/** The client of the library, with the scripts of the stores as methods. */
export type RedisClient = ReturnType<typeof createRedisClient>

/** A connection to Redis or Valkey. */
export interface Redis {
  /** Runs commands and scripts. @throws Refusal (503) when Redis does not answer within two seconds */
  call<Reply>(act: (client: RedisClient) => Promise<Reply>): Promise<Reply>
  send(...command: readonly string[]): Promise<unknown>
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>
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
const ANSWER_WITHIN_MS = 2_000
const CONNECT_WITHIN_MS = 2_000
/** A connection that receives nothing for so long, not even the answer to a ping, is replaced. */
const PING_EVERY_MS = 1_000
const SILENT_FOR_MS = 4_000

/**
 * Connects to Redis. A connection that is lost later is made again without end.
 * @param url `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS
 * @throws Error with one line that names the address, without its password
 */
export async function connectRedis(url: string, events: RedisEvents): Promise<Redis> {
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
    withinMs: ANSWER_WITHIN_MS,
    onOpen: () => lost(`no answer within ${ANSWER_WITHIN_MS / 1000} seconds`),
    onClose: back,
  })
  const client = createRedisClient(url, (retries, cause) => (isConnected ? Math.min(50 * 2 ** retries, 1_000) : cause))
  client.on('error', (error: unknown) => lost(reasonOf(error)))
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
    throw new Error(`store: ${shownAddress(url)} cannot be reached: ${reasonOf(cause)}`, { cause })
  }
  isConnected = true

  const call: Redis['call'] = async (act) => {
    try {
      return await breaker.call(() => act(client))
    } catch (cause) {
      if (isDefect(cause)) throw cause
      throw Refusal.unavailable(`the store at ${shownAddress(url)} does not answer; try again`, cause)
    }
  }
  const send = (...command: readonly string[]) => call((connected) => connected.sendCommand(command))
  return {
    call,
    send,
    async run({ source, sha1 }, keys, args) {
      const operands = [String(keys.length), ...keys, ...args]
      try {
        return await send('EVALSHA', sha1, ...operands)
      } catch (error) {
        if (codeOf(error) !== 'NOSCRIPT') throw error
        return send('EVAL', source, ...operands)
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
const createRedisClient = (url: string, reconnect: (retries: number, cause: Error) => number | Error) =>
  createClient({
    url,
    RESP: 2,
    scripts,
    // A call that cannot be answered is refused at once: it would be answered to a client that has gone.
    disableOfflineQueue: true,
    // The breaker has a timer of its own, which also counts while Redis is silent.
    commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.MAP]: Map } },
    pingInterval: PING_EVERY_MS,
    socket: { connectTimeout: CONNECT_WITHIN_MS, socketTimeout: SILENT_FOR_MS, reconnectStrategy: reconnect },
  })

/** The codes of Redis for a state that passes; any other error reply is a defect of the command. */
const PASSING = ['LOADING', 'OOM', 'READONLY', 'MISCONF', 'BUSY', 'MASTERDOWN', 'NOREPLICAS', 'CLUSTERDOWN', 'TRYAGAIN']

/** The first word of an answer that is an error. */
const codeOf = (error: unknown) => (error instanceof Error ? /^[A-Z]+/.exec(error.message)?.[0] : undefined)

const isDefect = (error: unknown) => error instanceof ErrorReply && !PASSING.includes(codeOf(error) ?? '')

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message || String(error.name) : String(error)
}
