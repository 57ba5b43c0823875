import { expect, test, vi } from 'vitest'
import { buildCli } from '../../cli/built-cli.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { describeWith } from '../../support/tools.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

const BASE_URL = 'http://sandbox.localhost:2435'

/** States of a Redis that answers and does not take a write, each with the command that ends it. */
const STATES: readonly [code: string, begin: (redis: RedisServer) => void, end: readonly string[]][] = [
  ['OOM', (redis) => redis.command('config', 'set', 'maxmemory', '1'), ['config', 'set', 'maxmemory', '0']],
  ['READONLY', (redis) => redis.command('replicaof', '127.0.0.1', '1'), ['replicaof', 'no', 'one']],
  ['MISCONF', failToSave, ['config', 'set', 'stop-writes-on-bgsave-error', 'no']],
  [
    'NOREPLICAS',
    (redis) => redis.command('config', 'set', 'min-replicas-to-write', '1'),
    ['config', 'set', 'min-replicas-to-write', '0'],
  ],
]

/** A snapshot that cannot be written, with the setting that stops all writes then. */
function failToSave(redis: RedisServer): void {
  redis.command('config', 'set', 'dbfilename', `${'x'.repeat(300)}.rdb`)
  redis.command('config', 'set', 'save', '3600 1')
  redis.command('bgsave')
}

const { run } = await buildCli()

describeWith('redis-server', 'A Redis that refuses writes', () => {
  test.each(STATES)(
    'by %s is answered with 503 and the code, reads go on, and so does all when it is over',
    async (code, begin, end) => {
      const redis = await startRedis()
      const sandbox = await startSandbox({ store: redis.url, baseUrl: BASE_URL })
      const party = createRelyingParty(sandbox)
      await party.obtainRequestUri()

      begin(redis)
      // Redis takes a moment to notice some of them.
      const refused = await vi.waitFor(async () => {
        const answer = await party.push()
        expect(answer.status).toBe(503)
        return answer
      })
      expect(refused.headers['retry-after']).toBe('1')
      expect(refused.body).toMatchObject({
        error: 'temporarily_unavailable',
        error_description: `the store at ${redis.url} refuses the call (${code}); try again when it takes calls again`,
      })
      const health = await sandbox.request.get('/_sandbox/health')
      expect([health.status, health.headers['retry-after'], health.body]).toEqual([503, '1', refused.body])
      expect(await run(['healthcheck', '--url', sandbox.url])).toMatchObject({
        code: 1,
        stderr: `error: ${sandbox.url}/_sandbox/health: unhealthy, status 503: ${refused.body.error_description}\n`,
      })
      await sandbox.request.get('/_sandbox/personas').expect(200)
      // A denied flow needs no record: it is answered, though the journal cannot record it.
      expect((await party.use({ sandbox_outcome: 'access_denied' })).params).toMatchObject({ error: 'access_denied' })

      redis.command(...end)
      await sandbox.request.get('/_sandbox/health').expect(200)
      await party.obtainRequestUri()
      const recorded = (await sandbox.flows.list()).map(({ flow }) => flow)
      expect(new Set(recorded)).toEqual(new Set(['create']))
    },
  )

  test('by holding them back spends nothing when it goes on: calls are answered with 503, and can be made again', async () => {
    const redis = await startRedis()
    const sandboxes = await Promise.all(
      Array.from({ length: 3 }, () => startSandbox({ store: redis.url, baseUrl: BASE_URL })),
    )
    const parties = sandboxes.map((sandbox) => createRelyingParty(sandbox))
    const codes = await Promise.all(parties.map((party) => party.obtainCode()))
    const exchange = (offset: number) =>
      Promise.all(parties.map((party, index) => party.exchange(codes[(index + offset) % codes.length])))
    redis.command('client', 'pause', '60000', 'write')
    expect((await exchange(0)).map(({ status }) => status)).toEqual([503, 503, 503])
    const health = await Promise.all(sandboxes.map(({ request }) => request.get('/_sandbox/health')))
    expect(health.map(({ status }) => status)).toEqual([503, 503, 503])
    redis.command('client', 'unpause')
    await vi.waitFor(async () => {
      for (const { request } of sandboxes) await request.get('/_sandbox/health').expect(200)
    })
    expect((await exchange(1)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await exchange(2)).map(({ status }) => status)).toEqual([400, 400, 400])
  }, 30_000)
})
