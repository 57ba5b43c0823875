import { describe, expect, test, vi } from 'vitest'
import { useRequest } from '../../support/requests.ts'
import { describeWith } from '../../support/tools.ts'
import { startRedis } from './redis-server.ts'
import { buildReplicas, control } from './replica.ts'

const { cli, startReplica } = await buildReplicas()

describeWith('redis-server', 'A sandbox whose Redis', () => {
  describe('when Redis is away', () => {
    test.each([
      ['dies and comes back', 'kill', 'start'],
      ['falls silent and answers again', 'freeze', 'thaw'],
    ] as const)('answer 503 and recover by themselves: it %s', async (_, leave, comeBack) => {
      const redis = await startRedis()
      const a = await startReplica(redis.url)
      const [code, token] = [await a.party.obtainCode(), await a.party.obtainToken()]
      await redis[leave]()
      await a.http.request.get(control('health'))

      const refused = await a.party.exchange(code)
      expect(refused.status).toBe(503)
      expect(refused.headers['retry-after']).toBe('1')
      expect(refused.body).toMatchObject({ error: 'temporarily_unavailable' })
      await a.http.request.get(control('health')).expect(503)
      const page = await a.http.request.get('/v1/oidc/use').set('Accept', 'text/html').query(useRequest()).expect(503)
      expect(page.headers['content-type']).toMatch(/^text\/html/)

      await redis[comeBack]()
      await vi.waitFor(async () => expect((await a.http.request.get(control('health'))).status).toBe(200), 5_000)
      expect((await a.party.exchange(code)).status).toBe(200)
      expect((await a.party.exchange(code)).status).toBe(400)
      expect((await a.party.upgrade(token)).status).toBe(200)
    })
  })

  describe('a start is refused with one line', () => {
    const refusedStart = (args: readonly string[]) => cli.run(['-p', '0', ...args])

    test('when nothing listens there; the password is not printed', async () => {
      const { code, stderr } = await refusedStart(['--store', 'redis://user:secret@127.0.0.1:1'])
      expect(code).toBe(1)
      expect(stderr).toBe(
        'error: store: redis://127.0.0.1:1 cannot be used: connect ECONNREFUSED 127.0.0.1:1; start Redis or Valkey there, or give another address\n',
      )
    })

    test('when what listens there says nothing', async () => {
      const redis = await startRedis()
      redis.freeze()
      const { code, stderr } = await refusedStart(['--store', redis.url])
      expect(code).toBe(1)
      expect(stderr).toBe(
        `error: store: ${redis.url} cannot be used: no answer within 2 seconds; start Redis or Valkey there, or give another address\n`,
      )
    })

    test('when it holds records of another version', async () => {
      const redis = await startRedis()
      redis.command('set', 'agekey-sandbox:version', '0.0.1')
      const { code, stderr } = await refusedStart(['--store', redis.url])
      expect(code).toBe(1)
      expect(stderr).toMatch(
        /^error: store: redis:\/\/127\.0\.0\.1:\d+ holds records of agekey-sandbox 0\.0\.1, and this is .*\n$/,
      )
    })

    test.each([
      [['--store', 'localhost:6379'], '--store: localhost:// is not a store'],
      [['--store', 'http://localhost:6379'], '--store: http:// is not a store'],
      [['--store', 'redis://localhost/x'], '--store: "/x" is not the number of a database'],
      [['--store', 'redis://localhost:6379', '--seed', '1'], 'seed: replicas with one seed'],
    ])('%j', async (args, message) => {
      const { code, stderr } = await refusedStart(args)
      expect(code).toBe(1)
      expect(stderr).toContain(`error: ${message}`)
      expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    })
  })
})
