import { expect, test } from 'vitest'
import * as z from 'zod'
import { press } from '../../support/forms.ts'
import { useRequest } from '../../support/requests.ts'
import { emptyRedisDatabase } from '../../support/run.ts'
import { describeWith } from '../../support/tools.ts'
import { startRedisProxy } from './redis-proxy.ts'
import { control, type Replica, startReplica } from './replica.ts'

/** A call that changes something, arranged before its connection is cut, and what is so afterwards. */
type CutCall = readonly [call: () => Promise<unknown>, check: () => Promise<unknown>]

const issued = z.object({ access_token: z.string() })

/** By what happens, with the replica whose connection is cut and another one on the same Redis. */
const CASES: Readonly<Record<string, (cut: Replica, other: Replica) => Promise<CutCall>>> = {
  async 'a code gives a token, once'(cut, other) {
    const code = await other.party.obtainCode()
    let token = ''
    const exchange = async ({ party }: Replica) => party.exchange(code)
    return [
      async () => (token = issued.parse((await exchange(cut)).body).access_token),
      async () => {
        expect((await other.party.upgrade(token)).status).toBe(200)
        expect((await exchange(other)).status).toBe(400)
      },
    ]
  },
  async 'a choice is taken, once'(cut, other) {
    const { action, fields } = press((await other.request.get('/v1/oidc/use').query(useRequest())).text, 'use')
    const choose = async ({ request }: Replica) => request.post(action).send(String(fields))
    return [
      async () => expect((await choose(cut)).status).toBe(303),
      async () => expect((await choose(other)).status).toBe(410),
    ]
  },
  async 'an expectation decides, once'(cut, other) {
    await other.next({ flow: 'use', outcome: 'access_denied' })
    const use = async ({ request }: Replica) => (await request.get('/v1/oidc/use').query(useRequest())).status
    return [async () => expect(await use(cut)).toBe(302), async () => expect(await use(other)).toBe(200)]
  },
  'the clock moves, once': async (cut, other) => [
    async () => cut.request.post(control('clock')).send({ advance: 91 }).expect(200),
    async () => expect(await other.clock.state()).toMatchObject({ advanced_seconds: 91 }),
  ],
}

describeWith(
  'redis-server',
  'A connection that is cut when Redis has written and its answer is still under way',
  () => {
    test.each(Object.entries(CASES))('changes nothing for the caller: %s', async (_name, arrange) => {
      const store = await emptyRedisDatabase()
      const proxy = await startRedisProxy(store)
      const [cut, other] = await Promise.all([startReplica(proxy.url), startReplica(store)])
      // From here Redis knows the script, so that the answer is that of the script.
      await cut.party.obtainRequestUri()
      const [call, check] = await arrange(cut, other)
      proxy.loseAnswerTo('_commits:')
      await call()
      expect(proxy.lost()).toBe(1)
      await check()
    })
  },
)
