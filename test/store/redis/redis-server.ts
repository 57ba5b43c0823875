import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A Redis of a test's own: it keeps everything it has confirmed when it is killed and started again. */
export interface RedisServer {
  readonly url: string
  /** The path of its socket file. */
  readonly socket: string
  /** Ends it as a power cut does. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops answering without closing any connection. */
  freeze(): void
  thaw(): void
  /** Gives it a command of `redis-cli`. @throws Error for an answer that is an error */
  command(...words: readonly string[]): void
  /** The names of all keys. */
  keys(): readonly string[]
}

/** Starts a Redis for one test or, with `onFinished`, for as many as the caller says. */
export async function startRedis(
  onFinished: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<RedisServer> {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'agekey-redis-'))
  let running: ChildProcess | undefined
  const start = async () => {
    const files = ['--dir', folder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
    const changeable = ['--unixsocket', join(folder, 'redis.sock'), '--enable-protected-configs', 'local']
    running = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...files, ...changeable], {
      stdio: 'ignore',
    })
    await answers(port)
  }
  const kill = async () => {
    const ended = running && once(running, 'exit')
    running?.kill('SIGKILL')
    await ended
    running = undefined
  }
  onFinished(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    socket: join(folder, 'redis.sock'),
    kill,
    start,
    freeze: () => running?.kill('SIGSTOP'),
    thaw: () => running?.kill('SIGCONT'),
    command: (...words) => void execFileSync('redis-cli', ['-e', '-p', String(port), ...words], { stdio: 'ignore' }),
    keys: () => execFileSync('redis-cli', ['-p', String(port), 'keys', '*'], { encoding: 'utf8' }).split('\n'),
  }
}

async function answers(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      execFileSync('redis-cli', ['-p', String(port), 'ping'], { stdio: 'ignore', timeout: 1_000 })
      return
    } catch {
      await pause(50)
    }
  }
  throw new Error(`redis-server does not answer on port ${port}`)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}
