import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { press } from '../../../support/forms.ts'
import { useRequest } from '../../../support/requests.ts'
import { emptyRedisDatabase } from '../../../support/run.ts'
import { describeWith } from '../../../support/tools.ts'
import {
  type Replica,
  readEvents,
  startRedisProxy,
  startReplica,
  statuses,
} from './redis-server.ts'

const sorted = async (answers: Parameters<typeof statuses>[0]) => (await statuses(answers)).sort()

describeWith('redis-server', 'A silent store', () => {
  test('Three sandboxes go on after their store was silent for seven seconds', async () => {
    const proxy = await startRedisProxy(await emptyRedisDatabase())
    const start = () => startReplica(proxy.url)
    const [a, b, c, closing] = await Promise.all([start(), start(), start(), start()])
    const three = [a, b, c]
    const code = await a.party.obtainCode()
    const { action, fields } = press(
      (await b.request.get('/v1/oidc/use').query(useRequest())).text,
      'use',
    )
    await c.next({ flow: 'use', outcome: 'access_denied', match: { state: 'queued' } })
    const events = await readEvents(c)
    const eventsAtClosing = await readEvents(closing)
    const wait = ({ request }: Replica, seconds: number) =>
      request.get('/_sandbox/flows').query(`wait=${seconds}&state=waited-for`).then()
    const [waiting, waitingAtClosing] = [wait(b, 1), wait(closing, 60)]
    await Promise.all([b, closing].map(({ flows }) => flows.list()))

    proxy.stall()
    const exchangeByAll = () => sorted(three.map(({ party }) => party.exchange(code)))
    expect(await exchangeByAll()).toEqual([503, 503, 503])
    for (const replica of three) {
      const waits = Array.from({ length: 20 }, () => wait(replica, 60))
      expect(await statuses([replica.request.get('/_sandbox/health'), ...waits])).toEqual(
        Array(21).fill(503),
      )
    }
    expect((await waiting).status).toBe(503)
    await closing.close()
    await waitingAtClosing.catch(() => {})
    expect(eventsAtClosing()).toContain(': agekey-sandbox')
    // With what the calls took, longer than a connection is kept that receives nothing.
    await pause(4_500)
    proxy.resume()

    const healthy = async () => {
      for (const { request } of three) await request.get('/_sandbox/health').expect(200)
    }
    await vi.waitFor(healthy, { timeout: 20_000, interval: 100 })
    expect(await exchangeByAll()).toEqual([200, 400, 400])
    const choices = three.map(({ request }) => request.post(action).send(String(fields)))
    expect(await sorted(choices)).toEqual([303, 410, 410])
    const uses = three.map(({ request }) =>
      request.get('/v1/oidc/use').query(useRequest({ state: 'queued' })),
    )
    expect(await sorted(uses)).toEqual([200, 200, 302])
    // The connection by which a sandbox hears of the others is another one, which may come back
    // later.
    const hears = async () => {
      await a.party.use({ state: 'heard-of' })
      expect(events()).toMatch(/event: flow\n.*heard-of/)
    }
    await vi.waitFor(hears, { timeout: 20_000, interval: 200 })
  }, 60_000)
})

/**
 * Two replicas on one Redis. `cutOff` loses the answer to the next write of `cut`, and closes the
 * connection.
 */
async function startTwo() {
  const store = await emptyRedisDatabase()
  const proxy = await startRedisProxy(store)
  const [cut, other] = await Promise.all([startReplica(proxy.url), startReplica(store)])
  // From here Redis knows the script, so that the answer is that of the script.
  await cut.party.obtainRequestUri()
  return { cut, other, cutOff: (text: string) => proxy.loseAnswerTo(text), lost: proxy.lost }
}

describeWith('redis-server', 'A connection that is cut when Redis has written', () => {
  test('A code whose exchange was cut is spent', async () => {
    const { cut, other, cutOff, lost } = await startTwo()
    const code = await other.party.obtainCode()
    cutOff(':record:access_token:')
    expect((await cut.party.exchange(code)).status).toBe(503)
    expect(lost()).toBe(1)
    expect((await other.party.exchange(code)).status).toBe(400)
  })

  test('A choice that was cut cannot be made again', async () => {
    const { cut, other, cutOff, lost } = await startTwo()
    const { action, fields } = press(
      (await other.request.get('/v1/oidc/use').query(useRequest())).text,
      'use',
    )
    const choose = async ({ request }: Replica) =>
      (await request.post(action).send(String(fields))).status
    cutOff(':record:answered:')
    expect(await choose(cut)).toBe(503)
    expect(lost()).toBe(1)
    expect(await choose(other)).toBe(410)
  })
})
