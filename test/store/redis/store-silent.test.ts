import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'
import { describeWith } from '../../support/tools.ts'
import { startRedisProxy } from './redis-proxy.ts'
import { type RedisServer, startRedis } from './redis-server.ts'
import { BASE_URL, control } from './replica.ts'

/** Ways of being silent: what the sandboxes connect to, and what begins and ends the silence. */
const SILENCES: Readonly<
  Record<string, (redis: RedisServer) => Promise<{ url: string; begin(): void; end(): void; lasts: number }>>
> = {
  'a network that carries nothing for ten seconds': async (redis) => {
    const proxy = await startRedisProxy(redis.url)
    return { url: proxy.url, begin: proxy.stall, end: proxy.resume, lasts: 10_000 }
  },
  'a Redis that is stopped': async (redis) => ({ url: redis.url, begin: redis.freeze, end: redis.thaw, lasts: 0 }),
}

/** Begins to read the events of a sandbox. Returns what was received so far. */
async function readEvents({ url }: TestSandbox): Promise<() => string> {
  const stopped = new AbortController()
  onTestFinished(() => stopped.abort())
  const { body } = await fetch(`${url}/_sandbox/events`, { signal: stopped.signal })
  let text = ''
  const read = async () => {
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString()
  }
  read().catch(() => {})
  return () => text
}

const statuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).sort()

describeWith('redis-server', 'Three sandboxes, between them and their store', () => {
  test.each(Object.entries(SILENCES))(
    '%s: calls end with 503, waits and close() end, and all goes on afterwards without a restart',
    async (_name, prepare) => {
      const { url: store, begin, end, lasts } = await prepare(await startRedis())
      const start = () => startSandbox({ store, baseUrl: BASE_URL })
      const [a, b, c, closing] = await Promise.all([start(), start(), start(), start()])
      const three = [a, b, c]
      const parties = three.map((sandbox) => createRelyingParty(sandbox))
      const code = await createRelyingParty(a).obtainCode()
      const page = await b.request.get('/v1/oidc/use').query(useRequest())
      const transaction = /name="transaction" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      const expectation = { flow: 'use', outcome: 'access_denied', match: { state: 'queued' } }
      await c.request.post(control('expectations')).send(expectation).expect(201)
      const events = await readEvents(c)
      const eventsAtClosing = await readEvents(closing)
      const waiting = b.request.get(control('flows')).query('wait=3&state=waited-for').then()
      const waitingAtClosing = closing.request.get(control('flows')).query('wait=60&state=waited-for').then()
      await Promise.all([b, closing].map(({ request }) => request.get(control('flows'))))

      begin()
      const exchangeByAll = () => Promise.all(parties.map((party) => party.exchange(code)))
      expect(statuses(await exchangeByAll())).toEqual([503, 503, 503])
      for (const { request } of three) {
        expect((await request.get(control('health'))).status).toBe(503)
        const refused = await Promise.all(
          Array.from({ length: 20 }, () => request.get(control('flows')).query('wait=60')),
        )
        expect(new Set(statuses(refused))).toEqual(new Set([503]))
      }
      expect((await waiting).status).toBe(503)
      await closing.close()
      await waitingAtClosing.catch(() => {})
      expect(eventsAtClosing()).toContain(': agekey-sandbox')
      await pause(lasts)
      end()

      const healthy = async () => {
        for (const { request } of three) await request.get(control('health')).expect(200)
      }
      await vi.waitFor(healthy, { timeout: 20_000, interval: 100 })
      expect(statuses(await exchangeByAll())).toEqual([200, 400, 400])
      const chosen = String(new URLSearchParams({ transaction, persona: 'adult-passport' }))
      const choices = three.map(({ request }) => request.post('/v1/oidc/use/choice').send(chosen))
      expect(statuses(await Promise.all(choices))).toEqual([303, 410, 410])
      const uses = three.map(({ request }) => request.get('/v1/oidc/use').query(useRequest({ state: 'queued' })))
      expect(statuses(await Promise.all(uses))).toEqual([200, 200, 302])
      // The connection by which a sandbox hears of the others is another one, which may come back later.
      await vi.waitFor(
        async () => {
          await parties[0]?.use({ state: 'heard-of' })
          expect(events()).toMatch(/event: flow\n.*heard-of/)
        },
        { timeout: 20_000, interval: 500 },
      )
    },
    60_000,
  )
})
