import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { interleave, startServer } from './measure.js'
import { sendAll, use } from './requests.js'

const CALLS = 400
const ROUNDS = 9

/**
 * Use flows of a sandbox on a Redis of this machine against those of one in memory. No row where
 * redis-server is missing.
 */
export async function redisAgainstMemory() {
  const redis = await startRedis()
  if (redis === undefined) return []
  process.env.BENCH_STORE = redis.url
  const [shared, own] = await Promise.all(['sandbox-redis', 'sandbox'].map(startServer))
  const rates = await interleave(ROUNDS, {
    redis: () => usesPerSecond(shared),
    memory: () => usesPerSecond(own),
  })
  for (const server of [shared, own, redis]) server.stop()
  return [
    {
      what: 'Use on Redis against Use in memory',
      ours: rates.redis,
      theirs: rates.memory,
      unit: 'per second',
      ratio: rates.redis / rates.memory,
      wanted: '>= 0.5',
    },
  ]
}

async function usesPerSecond({ url }) {
  const began = performance.now()
  await sendAll(CALLS, 302, () => use(url))
  return (CALLS / (performance.now() - began)) * 1000
}

async function startRedis() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  const child = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', ''],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const isReady = await new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.stdout.on(
      'data',
      (text) => String(text).includes('Ready to accept connections') && resolve(true),
    )
  })
  if (isReady) return { url: `redis://127.0.0.1:${port}`, stop: () => child.kill() }
  console.error('redis-server is not installed: Use on Redis is not measured')
  return undefined
}
