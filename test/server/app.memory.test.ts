import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { createApp } from '../../src/server/app.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { createMemoryDirectory } from '../../src/store/memory-directory.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { listenOnFreePort } from '../support/listen-on-free-port.ts'
import { claims as claimsText, createRequest, pushedRequest, useRequest } from '../support/requests.ts'
import { createTestParts } from '../support/tenant.ts'
import { usedBytes } from '../support/used-bytes.ts'

const MIB = 1024 * 1024

/** A sandbox in this process with a small budget: not `startSandbox`, which remembers every call. */
async function start(memoryBudget = 6) {
  const sandbox = await createSandbox({ outcome: 'access_denied', memoryBudget })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** A server whose directory holds 30 tenants, and its journal. */
async function startWith30Tenants() {
  const parts = await createTestParts(createMemoryStores())
  const app = createApp(createTestHost({ ...parts, directory: createMemoryDirectory({ max: 30 }) }))
  return { url: `http://${await listenOnFreePort(createServer(app))}`, journal: parts.journal }
}

/** Makes so many calls, twenty at a time. */
async function repeat(times: number, call: (n: number) => Promise<unknown>): Promise<void> {
  let begun = 0
  const work = async () => {
    while (begun < times) await call(++begun)
  }
  await Promise.all(Array.from({ length: 20 }, work))
  // fetch keeps the URLs of the calls of a test.
  performance.clearResourceTimings()
}

/** A flow, and what its long URL has beside its parameters. */
async function use(url: string, changes: object, padding = ''): Promise<void> {
  const query = new URLSearchParams(useRequest({ sandbox_outcome: 'access_denied', ...changes }))
  await (await fetch(`${url}/v1/oidc/use?${query}${padding}`, { redirect: 'manual' })).arrayBuffer()
}

/** MiB by which the memory in use grows. */
async function growth(act: () => Promise<unknown>): Promise<number> {
  const before = await usedBytes()
  await act()
  return ((await usedBytes()) - before) / MIB
}

const MANY = { timeout: 120_000 }

test.each([
  ['small', 300, 600, { state: 's'.repeat(4_000) }],
  ['large', 20, 120, { claims: `${claimsText()}${' '.repeat(60_000)}` }],
])(
  'Flows without end leave no more behind than the journal may hold: %s flows',
  MANY,
  async (_size, filling, more, changes) => {
    const { url, flows } = await start()
    await repeat(filling, () => use(url, changes))
    // From here on the journal is full: whatever grows now would grow for ever.
    expect(await growth(() => repeat(more, () => use(url, changes)))).toBeLessThan(3)
    expect((await flows.list({ limit: 2_000 })).length).toBeLessThan(filling)
  },
)

test('Tenants without end leave as many behind as the directory may hold', MANY, async () => {
  const { url } = await startWith30Tenants()
  const call = (prefix: string) => (n: number) => use(`${url}/t/${prefix}-${n}`, {})
  // The coverage holds 200 tenants.
  await repeat(250, call('first'))
  expect(await growth(() => repeat(300, call('then')))).toBeLessThan(3)
  expect(await (await fetch(`${url}/_sandbox/tenants`)).json()).toMatchObject({ tenants: { length: 31 } })
})

test(
  'Pushed requests without end leave no more behind than the memory budget, and the newest of them',
  MANY,
  async () => {
    const { url } = await start(3)
    const push = async (n: number) => {
      const body = new URLSearchParams(pushedRequest({ state: `${n}${'ж'.repeat(2_000)}` }))
      const answer = await fetch(`${url}/v1/oidc/create/par`, { method: 'POST', body })
      return z.object({ request_uri: z.string() }).parse(await answer.json()).request_uri
    }
    const endOf = async (requestUri: string) => {
      const query = new URLSearchParams(createRequest(requestUri, { sandbox_outcome: 'created' }))
      const answer = await fetch(`${url}/v1/oidc/create?${query}`, { redirect: 'manual' })
      return new URL(answer.headers.get('location') ?? '').searchParams.get('error')
    }
    const first = await push(0)
    await repeat(300, push)
    // From here on the budget is full; 3 MB follow.
    expect(await growth(() => repeat(500, push))).toBeLessThan(1.5)
    expect([await endOf(first), await endOf(await push(1_000))]).toEqual(['invalid_request_uri', null])
  },
)

test('Tenants and flows keep nothing of a long request but its parts', MANY, async () => {
  const { url } = await start(256)
  const call = (padding: string) => (n: number) =>
    use(`${url}/t/with-a-long-name-${n}`, { state: `a state of its own ${n}` }, padding)
  await repeat(20, call(''))
  // 11 million characters, of which no parameter is made, beside what 100 tenants take.
  expect(await growth(() => repeat(120, call('&'.repeat(90_000))))).toBeLessThan(7)
  expect(await (await fetch(`${url}/_sandbox/tenants`)).json()).toMatchObject({ tenants: { length: 121 } })
})

test('The most expensive flows are listed without their traces, and each is read by itself', MANY, async () => {
  const { url, personas, flows } = await start(256)
  const signal = { method: 'id_doc_scan', age: { years: 20 }, verified_at: '2026-01-01', provenance: '/yoti' } as const
  const age_key = { signals: Array(50).fill(signal) }
  await personas.put({ name: 'full', title: 'Full', purpose: 'Has 50 signals.', age_key })
  const age_thresholds = Array.from({ length: 100 }, (_, age) => age)
  const changes = { sandbox_persona: 'full', sandbox_outcome: 'verified', claims: claimsText({ age_thresholds }) }
  await repeat(20, () => use(url, changes))
  const before = await usedBytes()
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed)), 5)
  const list = await (await fetch(`${url}/_sandbox/flows`)).text()
  clearInterval(watch)
  expect((most - before) / MIB).toBeLessThan(40)
  expect([list.includes('"trace"'), JSON.parse(list).flows.length]).toEqual([false, 20])
  const { trace = [] } = await flows.get('f1')
  expect([trace.length, trace[0]?.signals.length, trace[0]?.signals[0]?.checks.length]).toEqual([100, 50, 7])
  expect(trace.filter(({ satisfied }) => satisfied)).toHaveLength(21)
})

const EVENT = 'event: scenario\n'

/** A reader of the events, once it is listened for. A paused one takes nothing from its connection until it is resumed. */
async function readEvents(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let events = 0
  let end = ''
  const isLetGo = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    const text = end + chunk.toString('latin1')
    events += text.split(EVENT).length - 1
    end = text.slice(1 - EVENT.length)
  })
  socket.write('GET /_sandbox/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'data')
  return { socket, isLetGo, events: () => events }
}

test('Readers that never read the events are let go, and those that read miss none', MANY, async () => {
  const { url, journal } = await startWith30Tenants()
  const readers = (length: number) => Promise.all(Array.from({ length }, () => readEvents(url)))
  const [good, stalled] = [await readers(2), await readers(18)]
  for (const { socket } of stalled) socket.pause()
  // All together more than the buffers of both sockets hold; each part less, so that a good reader keeps up.
  const grown = await growth(async () => {
    for (let sent = 10; sent <= 300; sent += 10) {
      for (let n = 0; n < 10; n++)
        journal.announce({ type: 'scenario', tenant: 'default', data: { text: `${n}${'x'.repeat(50_000)}` } })
      await vi.waitFor(() => expect(good.map(({ events }) => events())).toEqual([sent, sent]), 10_000)
    }
  })
  expect(grown).toBeLessThan(40)
  for (const { socket } of stalled) socket.resume()
  await Promise.all(stalled.map(({ isLetGo }) => isLetGo))
})
