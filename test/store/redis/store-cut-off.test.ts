import { expect, test } from 'vitest'
import { press } from '../../support/forms.ts'
import { useRequest } from '../../support/requests.ts'
import { emptyRedisDatabase } from '../../support/run.ts'
import { describeWith } from '../../support/tools.ts'
import { startRedisProxy } from './redis-proxy.ts'
import { type Replica, startReplica } from './replica.ts'

/** Two replicas on one Redis. `cutOff` loses the answer to the next write of `cut`, and closes the connection. */
async function startTwo() {
  const store = await emptyRedisDatabase()
  const proxy = await startRedisProxy(store)
  const [cut, other] = await Promise.all([startReplica(proxy.url), startReplica(store)])
  // From here Redis knows the script, so that the answer is that of the script.
  await cut.party.obtainRequestUri()
  return { cut, other, cutOff: (text: string) => proxy.loseAnswerTo(text), lost: proxy.lost }
}

describeWith('redis-server', 'A connection that is cut when Redis has written', () => {
  test('A code whose exchange was cut is spent, and gives no second token', async () => {
    const { cut, other, cutOff, lost } = await startTwo()
    const code = await other.party.obtainCode()
    cutOff(':record:access_token:')
    expect([(await cut.party.exchange(code)).status, lost()]).toEqual([503, 1])
    expect((await other.party.exchange(code)).status).toBe(400)
  })

  test('A choice that was cut is taken, and not a second time', async () => {
    const { cut, other, cutOff, lost } = await startTwo()
    const { action, fields } = press((await other.request.get('/v1/oidc/use').query(useRequest())).text, 'use')
    const choose = async ({ request }: Replica) => (await request.post(action).send(String(fields))).status
    cutOff(':record:answered:')
    expect([await choose(cut), lost(), await choose(other)]).toEqual([503, 1, 410])
  })
})
