import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@redis/client'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { findFreePort } from '../../support/free-port.ts'

/** Ends every state that a test brings about, and forgets what was kept. */
const RESET: readonly (readonly [string, ...string[]])[] = [
  ['config set maxmemory 0 min-replicas-to-write 0 stop-writes-on-bgsave-error no requirepass', ''],
  ['replicaof no one'],
  ['client unpause'],
  ['acl deluser reader'],
  ['flushall'],
]

/** A Redis of the tests of a group: each finds it empty, as it was started. A start after `kill` has all that was confirmed. */
export function useRedis() {
  let [port, folder, socket] = [0, '', '']
  let running: ChildProcess | undefined
  /** It came before any password was set. */
  let admin: ReturnType<typeof createAdmin> | undefined
  const createAdmin = () => createClient({ socket: { path: socket, tls: false } }).on('error', () => {})
  const start = async () => {
    const files = ['--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
    const changeable = ['--unixsocket', socket, '--enable-protected-configs', 'local']
    running = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...files, ...changeable])
    for await (const text of running.stdout ?? []) if (String(text).includes('Ready to accept')) break
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
  /** Gives a command, and arguments that are empty or hold a space. @throws Error for an answer that is an error */
  const command = async (words: string, ...more: readonly string[]) =>
    admin?.sendCommand([...words.split(' '), ...more])
  beforeAll(async () => {
    port = await findFreePort()
    folder = mkdtempSync(join(tmpdir(), 'agekey-redis-'))
    socket = join(folder, 'redis.sock')
    await start()
  })
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
    /** Stops the answers without closing any connection. */
    freeze: () => running?.kill('SIGSTOP'),
    command,
  }
}
