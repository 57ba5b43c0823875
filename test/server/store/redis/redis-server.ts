import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { afterAll, afterEach, beforeAll, beforeEach, onTestFinished } from 'vitest'
import type { SandboxOptions } from '../../../../src/server/create-sandbox.ts'
import { connectRedis, type Redis } from '../../../../src/server/store/redis/redis.ts'
import { openRedisStores } from '../../../../src/server/store/redis/redis-stores.ts'
import type { Stores } from '../../../../src/server/store/stores.ts'
import { findFreePort } from '../../../support/free-port.ts'
import { listenOnFreePort } from '../../../support/listen-on-free-port.ts'
import { createRelyingParty } from '../../../support/relying-party.ts'
import { emptyRedisDatabase } from '../../../support/run.ts'
import { startSandbox } from '../../../support/sandbox.ts'

/** Ends every state that a test brings about. */
const RESET: readonly (readonly [string, ...string[]])[] = [
  ['config set maxmemory 0 min-replicas-to-write 0 stop-writes-on-bgsave-error no requirepass', ''],
  ['replicaof no one'],
  ['client unpause'],
  ['acl deluser reader'],
]

/**
 * A Redis of the tests of a group: each finds it empty, as it was started. A start after `kill` has
 * all that was confirmed, a start after `forget` has nothing.
 */
export function useRedis() {
  let [port, folder, socket] = [0, '', '']
  let running: ChildProcess | undefined
  /** It came before any password was set. */
  let admin: ReturnType<typeof createAdmin> | undefined
  const createAdmin = () =>
    createClient({ socket: { path: socket, tls: false } }).on('error', () => {})
  const start = async () => {
    const files = ['--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
    const changeable = ['--unixsocket', socket, '--enable-protected-configs', 'local']
    running = spawn('redis-server', [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      ...files,
      ...changeable,
    ])
    for await (const text of running.stdout ?? [])
      if (String(text).includes('Ready to accept')) break
    admin = createAdmin()
    await admin.connect()
  }
  const kill = async () => {
    const ended = running && once(running, 'exit')
    admin?.destroy()
    running?.kill('SIGKILL')
    await ended
    running = undefined
  }
  /**
   * Gives a command, and arguments that are empty or hold a space.
   * @throws Error for an answer that is an error
   */
  const command = async (words: string, ...more: readonly string[]) =>
    admin?.sendCommand([...words.split(' '), ...more])
  beforeAll(async () => {
    port = await findFreePort()
    folder = mkdtempSync(join(tmpdir(), 'agekey-redis-'))
    socket = join(folder, 'redis.sock')
    await start()
  })
  // Sandboxes of the test before have ended now: they write what they miss.
  beforeEach(() => command('flushall'))
  afterEach(async () => {
    running?.kill('SIGCONT')
    for (const words of RESET) await command(...words)
  })
  afterAll(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    get url() {
      return `redis://127.0.0.1:${port}`
    },
    get socket() {
      return socket
    },
    kill,
    start,
    /** Removes the records of a Redis that was killed. */
    forget: () => rmSync(join(folder, 'appendonlydir'), { recursive: true }),
    /** Stops the answers without closing any connection. */
    freeze: () => running?.kill('SIGSTOP'),
    command,
  }
}

const EVENTS = { onLost() {}, onBack() {} }

/** A database of the Redis of the run, for the tests of a group. */
export function useRedisDatabase() {
  let url = ''
  let redis: Redis
  beforeAll(async () => {
    url = await emptyRedisDatabase()
    redis = await connectRedis(url, EVENTS)
  })
  afterAll(() => redis.close())
  return {
    get redis() {
      return redis
    },
    /** The stores of a sandbox, once the database is empty. */
    async openEmpty(): Promise<Stores> {
      await redis.call((client) => client.flushDb())
      return openRedisStores(url, { version: 'test', ...EVENTS })
    },
    keys: () => redis.call((client) => client.keys('*')),
  }
}

/** Starts a way to a Redis that a test can make bad, for one test. */
export async function startRedisProxy(redisUrl: string) {
  const { hostname, port, pathname } = new URL(redisUrl)
  const sockets = new Set<Socket>()
  let isStalled = false
  let wanted: string | undefined
  let lost = 0

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let losesAnswer = false
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy()
        sockets.delete(socket)
      }
    }
    client.on('data', (chunk) => {
      if (wanted !== undefined && chunk.includes(wanted)) {
        wanted = undefined
        losesAnswer = true
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!losesAnswer) return void client.write(chunk)
      lost += 1
      end()
    })
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', end).on('error', end)
      if (isStalled) socket.pause()
    }
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  return {
    url: `redis://${await listenOnFreePort(server)}${pathname}`,
    /** Carries nothing any more and closes no connection. */
    stall() {
      isStalled = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      isStalled = false
      for (const socket of sockets) socket.resume()
    },
    /**
     * Carries the next request that holds this text, and closes its connection when Redis has
     * answered it: the answer is lost.
     */
    loseAnswerTo(text: string) {
      wanted = text
    },
    lost: () => lost,
  }
}

/**
 * A sandbox on a store that others share, with one address for all, and a relying party that calls
 * the sandbox.
 */
export async function startReplica(store: string, options: SandboxOptions = {}) {
  const sandbox = await startSandbox({
    store,
    baseUrl: 'http://sandbox.localhost:2435',
    ...options,
  })
  return { ...sandbox, party: createRelyingParty(sandbox) }
}

/** The statuses of answers that are under way. */
export const statuses = async (answers: readonly PromiseLike<{ readonly status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

export type Replica = Awaited<ReturnType<typeof startReplica>>

/** Begins to read the events of a sandbox. Returns what was received so far. */
export async function readEvents({ url }: Replica): Promise<() => string> {
  const stopped = new AbortController()
  onTestFinished(() => stopped.abort())
  const { body } = await fetch(`${url}/_sandbox/events`, { signal: stopped.signal })
  let text = ''
  const read = async () => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString()
  }
  read().catch(() => {})
  return () => text
}
