import { expect, test, vi } from 'vitest'
import type { Answer } from '../../../support/http-client.ts'
import { useRequest } from '../../../support/requests.ts'
import { describeWith } from '../../../support/tools.ts'
import { run } from '../../../tools/cli/in-process.ts'
import { startReplica, statuses, useRedis } from './redis-server.ts'

/**
 * States of a Redis that answers and does not take a write, each with the commands that begin it
 * and end it.
 */
const STATES = [
  ['OOM', [['config set maxmemory 1']], 'config set maxmemory 0'],
  ['READONLY', [['replicaof 127.0.0.1 1']], 'replicaof no one'],
  // A snapshot that cannot be written, with the setting that stops all writes then.
  [
    'MISCONF',
    [
      [
        `config set dbfilename ${'x'.repeat(300)}.rdb stop-writes-on-bgsave-error yes save`,
        '3600 1',
      ],
      ['bgsave'],
    ],
    'config set stop-writes-on-bgsave-error no',
  ],
  ['NOREPLICAS', [['config set min-replicas-to-write 1']], 'config set min-replicas-to-write 0'],
] as const

const partsOf = ({ status, headers, body }: Answer) => [status, headers['retry-after'], body]

describeWith('redis-server', 'A Redis', () => {
  const redis = useRedis()

  test.each(STATES)(
    'A Redis that refuses writes by %s is answered with 503 and the code, which healthcheck prints; reads go on',
    async (code, begin, end) => {
      const { party, request, flows, url } = await startReplica(redis.url)
      await party.obtainRequestUri()

      for (const [words, ...more] of begin) await redis.command(words, ...more)
      // Redis takes a moment to notice some of the states.
      const refused = await vi.waitFor(async () => {
        const answer = await party.push()
        expect(answer.status).toBe(503)
        return answer
      })
      const error_description = `the store at ${redis.url} refuses the call (${code}); try again when it takes calls again`
      expect(partsOf(refused)).toMatchObject([
        503,
        '1',
        { error: 'temporarily_unavailable', error_description },
      ])
      expect(partsOf(await request.get('/_sandbox/health'))).toEqual(partsOf(refused))
      const stderr = `error: ${url}/_sandbox/health: unhealthy, status 503: ${error_description}\n`
      expect(await run(['healthcheck', '--url', url])).toEqual({ code: 1, stdout: '', stderr })
      await request.get('/_sandbox/personas').expect(200)
      // A denied flow needs no record: it is answered, though the journal cannot record it.
      expect((await party.use({ sandbox_outcome: 'access_denied' })).params).toMatchObject({
        error: 'access_denied',
      })

      await redis.command(end)
      await request.get('/_sandbox/health').expect(200)
      await party.obtainRequestUri()
      expect(new Set((await flows.list()).map(({ flow }) => flow))).toEqual(new Set(['create']))
    },
  )

  test('A call is answered with 503 while Redis holds writes back', async () => {
    const three = await Promise.all(Array.from({ length: 3 }, () => startReplica(redis.url)))
    const codes = await Promise.all(three.map(({ party }) => party.obtainCode()))
    const exchange = (offset: number) =>
      statuses(
        three.map(({ party }, index) => party.exchange(codes[(index + offset) % codes.length])),
      )
    const health = () => statuses(three.map(({ request }) => request.get('/_sandbox/health')))
    await redis.command('client pause 60000 write')
    expect(await exchange(0)).toEqual(Array(3).fill(503))
    expect(await health()).toEqual(Array(3).fill(503))
    await redis.command('client unpause')
    await vi.waitFor(async () => expect(await health()).toEqual([200, 200, 200]))
    // Redis may have run a call when it took writes again: then its code is spent.
    for (const status of await exchange(1)) expect(status).toBeOneOf([200, 400])
    expect(await exchange(2)).toEqual(Array(3).fill(400))
  }, 30_000)

  test('All calls go on when a Redis that died comes back', async () => {
    const { party, request } = await startReplica(redis.url)
    const [code, token] = [await party.obtainCode(), await party.obtainToken()]
    await redis.kill()
    await vi.waitFor(() => request.get('/_sandbox/health').expect(503))
    expect(partsOf(await party.exchange(code))).toMatchObject([
      503,
      '1',
      { error: 'temporarily_unavailable' },
    ])
    const page = await request
      .get('/v1/oidc/use')
      .set('Accept', 'text/html')
      .query(useRequest())
      .expect(503)
    expect(page.headers['content-type']).toMatch(/^text\/html/)

    await redis.start()
    await vi.waitFor(() => request.get('/_sandbox/health').expect(200), 5_000)
    const answers = [
      await party.exchange(code),
      await party.exchange(code),
      await party.upgrade(token),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 200])
  })
})
