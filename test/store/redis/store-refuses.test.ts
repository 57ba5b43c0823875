import { expect, test, vi } from 'vitest'
import { useRequest } from '../../support/requests.ts'
import { describeWith } from '../../support/tools.ts'
import { type RedisServer, useRedis } from './redis-server.ts'
import { startReplica } from './replica.ts'

type Command = (redis: RedisServer) => Promise<unknown>
const command =
  (words: string): Command =>
  (redis) =>
    redis.command(...words.split(' '))

/** States of a Redis that answers and does not take a write, each with the command that ends it. */
const STATES: readonly [code: string, begin: Command, end: Command][] = [
  ['OOM', command('config set maxmemory 1'), command('config set maxmemory 0')],
  ['READONLY', command('replicaof 127.0.0.1 1'), command('replicaof no one')],
  ['MISCONF', failToSave, command('config set stop-writes-on-bgsave-error no')],
  ['NOREPLICAS', command('config set min-replicas-to-write 1'), command('config set min-replicas-to-write 0')],
]

/** A snapshot that cannot be written, with the setting that stops all writes then. */
async function failToSave(redis: RedisServer): Promise<void> {
  await redis.command('config', 'set', 'dbfilename', `${'x'.repeat(300)}.rdb`)
  await redis.command('config', 'set', 'stop-writes-on-bgsave-error', 'yes', 'save', '3600 1')
  await redis.command('bgsave')
}

describeWith('redis-server', 'A Redis', () => {
  const redis = useRedis()

  test.each(STATES)(
    'that refuses writes by %s is answered with 503 and the code, reads go on, and so does all when it is over',
    async (code, begin, end) => {
      const { party, request, flows } = await startReplica(redis.url)
      await party.obtainRequestUri()

      await begin(redis)
      // Redis takes a moment to notice some of the states.
      const refused = await vi.waitFor(async () => {
        const answer = await party.push()
        expect(answer.status).toBe(503)
        return answer
      })
      expect([refused.headers['retry-after'], refused.body]).toMatchObject([
        '1',
        {
          error: 'temporarily_unavailable',
          error_description: `the store at ${redis.url} refuses the call (${code}); try again when it takes calls again`,
        },
      ])
      const health = await request.get('/_sandbox/health')
      expect([health.status, health.headers['retry-after'], health.body]).toEqual([503, '1', refused.body])
      await request.get('/_sandbox/personas').expect(200)
      // A denied flow needs no record: it is answered, though the journal cannot record it.
      expect((await party.use({ sandbox_outcome: 'access_denied' })).params).toMatchObject({ error: 'access_denied' })

      await end(redis)
      await request.get('/_sandbox/health').expect(200)
      await party.obtainRequestUri()
      expect(new Set((await flows.list()).map(({ flow }) => flow))).toEqual(new Set(['create']))
    },
  )

  test('that holds writes back spends nothing when it goes on: calls are answered with 503, and can be made again', async () => {
    const three = await Promise.all(Array.from({ length: 3 }, () => startReplica(redis.url)))
    const codes = await Promise.all(three.map(({ party }) => party.obtainCode()))
    const exchange = async (offset: number) => {
      const answers = three.map(({ party }, index) => party.exchange(codes[(index + offset) % codes.length]))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    const health = async () =>
      (await Promise.all(three.map(({ request }) => request.get('/_sandbox/health')))).map(({ status }) => status)
    await redis.command('client', 'pause', '60000', 'write')
    expect([await exchange(0), await health()]).toEqual([Array(3).fill(503), Array(3).fill(503)])
    await redis.command('client', 'unpause')
    await vi.waitFor(async () => expect(await health()).toEqual([200, 200, 200]))
    expect([await exchange(1), await exchange(2)]).toEqual([Array(3).fill(200), Array(3).fill(400)])
  }, 30_000)

  test('that dies is answered with 503, a browser by a page, and when it comes back all goes on by itself', async () => {
    const { party, request } = await startReplica(redis.url)
    const [code, token] = [await party.obtainCode(), await party.obtainToken()]
    await redis.kill()
    await vi.waitFor(() => request.get('/_sandbox/health').expect(503))
    const refused = await party.exchange(code)
    expect([refused.status, refused.headers['retry-after'], refused.body]).toMatchObject([
      503,
      '1',
      { error: 'temporarily_unavailable' },
    ])
    const page = await request.get('/v1/oidc/use').set('Accept', 'text/html').query(useRequest()).expect(503)
    expect(page.headers['content-type']).toMatch(/^text\/html/)

    await redis.start()
    await vi.waitFor(() => request.get('/_sandbox/health').expect(200), 5_000)
    const statuses = [(await party.exchange(code)).status, (await party.exchange(code)).status]
    expect([...statuses, (await party.upgrade(token)).status]).toEqual([200, 400, 200])
  })
})
