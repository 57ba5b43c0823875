import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { claims as claimsText, createRequest, pushedRequest, useRequest } from '../support/requests.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function usedMiB(): Promise<number> {
  // fetch keeps the URLs of the calls of a test.
  performance.clearResourceTimings()
  // Twice with a turn between: the first collection lets finalizers run.
  for (let n = 0; n < 2; n++) {
    collectGarbage()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1024 / 1024
}

/** Not `startSandbox`, which remembers every call. */
async function start(): Promise<Sandbox> {
  const sandbox = await createSandbox({ outcome: 'access_denied' })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** Sends so many flows, twenty at a time, each with a state of its own. */
async function flood(
  sandbox: Sandbox,
  flows: number,
  {
    state = 's'.repeat(200),
    claims,
    pathOf = () => '',
    padding = '',
  }: { state?: string; claims?: string; pathOf?: (flow: number) => string; padding?: string } = {},
): Promise<void> {
  let sent = 0
  const send = async () => {
    while (sent < flows) {
      sent += 1
      const query = new URLSearchParams(
        useRequest({ state: `${state}${sent}`, ...(claims === undefined ? {} : { claims }) }),
      )
      const url = `${sandbox.url}${pathOf(sent)}/v1/oidc/use?${query}${padding}`
      await (await fetch(url, { redirect: 'manual' })).arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 20 }, send))
}

test('flows without end leave no more behind than the journal may hold', { timeout: 120_000 }, async () => {
  const sandbox = await start()
  // From here on the journal is full: whatever grows now would grow for ever.
  await flood(sandbox, 2_200)
  const before = await usedMiB()
  await flood(sandbox, 3_000)
  expect((await usedMiB()) - before).toBeLessThan(8)
  expect((await sandbox.flows.list({ limit: 2_000 })).length).toBeLessThanOrEqual(2_000)
})

test('tenants without end leave a thousand behind', { timeout: 120_000 }, async () => {
  const sandbox = await start()
  await flood(sandbox, 1_050, { pathOf: (flow) => `/t/first-${flow}` })
  const before = await usedMiB()
  await flood(sandbox, 700, { pathOf: (flow) => `/t/then-${flow}` })
  expect((await usedMiB()) - before).toBeLessThan(15)
  const { tenants } = (await (await fetch(`${sandbox.url}/_sandbox/tenants`)).json()) as { tenants: unknown[] }
  expect(tenants).toHaveLength(1_001)
})

test('pushed requests without end leave no more behind than the memory budget, and the newest of them', {
  timeout: 120_000,
}, async () => {
  const sandbox = await createSandbox({ memoryBudget: 6 })
  onTestFinished(() => sandbox.close())
  const push = async (n: number) => {
    const body = new URLSearchParams(pushedRequest({ state: `${n}${'ж'.repeat(2_000)}` }))
    const answer = await fetch(`${sandbox.url}/v1/oidc/create/par`, { method: 'POST', body })
    return z.object({ request_uri: z.string() }).parse(await answer.json()).request_uri
  }
  const endOf = async (requestUri: string) => {
    const query = new URLSearchParams(createRequest(requestUri, { sandbox_persona: 'teen-16' }))
    const answer = await fetch(`${sandbox.url}/v1/oidc/create?${query}`, { redirect: 'manual' })
    return new URL(answer.headers.get('location') ?? '').searchParams.get('error')
  }
  const first = await push(0)
  for (let n = 1; n <= 900; n++) await push(n)
  // From here on the budget is full; 7 MB follow.
  const before = await usedMiB()
  for (let n = 1; n < 1_200; n++) await push(n)
  const last = await push(1_200)
  expect((await usedMiB()) - before).toBeLessThan(4)
  expect([await endOf(first), await endOf(last)]).toEqual(['invalid_request_uri', null])
})

test('tenants and flows keep nothing of a long request but its parts', { timeout: 120_000 }, async () => {
  const sandbox = await start()
  const [state, pathOf] = ['a state of its own', (flow: number) => `/t/with-a-long-name-${flow}`]
  await flood(sandbox, 20, { pathOf })
  const before = await usedMiB()
  // 36 million characters, of which no parameter is made.
  await flood(sandbox, 400, { state, pathOf, padding: '&'.repeat(90_000) })
  expect((await usedMiB()) - before).toBeLessThan(15)
  expect(await (await fetch(`${sandbox.url}/_sandbox/tenants`)).json()).toMatchObject({ tenants: { length: 401 } })
})

/** Claims that make a flow large; the request still fits into the 96 KiB of a head. */
const LARGE = `${claimsText()}${' '.repeat(60_000)}`

test('large flows leave no more behind than the characters that the journal may hold', {
  timeout: 120_000,
}, async () => {
  const sandbox = await start()
  await flood(sandbox, 20)
  const before = await usedMiB()
  // 60 million characters, of which the journal may hold 12.
  await flood(sandbox, 1_000, { claims: LARGE })
  expect((await usedMiB()) - before).toBeLessThan(48)
  const left = (await sandbox.flows.list()).length
  expect(left).toBeGreaterThan(10)
  expect(left).toBeLessThan(12_000_000 / LARGE.length)
})

test('the most expensive flows are listed without their traces, and each is read by itself', {
  timeout: 120_000,
}, async () => {
  const sandbox = await start()
  const signal = { method: 'id_doc_scan', age: { years: 20 }, verified_at: '2026-01-01', provenance: '/yoti' } as const
  const age_key = { signals: Array(50).fill(signal) }
  await sandbox.personas.put({ name: 'full', title: 'Full', purpose: 'Has 50 signals.', age_key })
  await sandbox.configure({ persona: 'full', outcome: 'verified' })
  const age_thresholds = Array.from({ length: 100 }, (_, age) => age)
  await flood(sandbox, 100, { claims: claimsText({ age_thresholds }) })
  const before = await usedMiB()
  let most = 0
  const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().heapUsed / 1024 / 1024)), 5)
  for (let n = 0; n < 3; n++) {
    const list = await (await fetch(`${sandbox.url}/_sandbox/flows?limit=2000`)).text()
    expect([list.length < 1_050_000, list.includes('"trace"')]).toEqual([true, false])
  }
  clearInterval(watch)
  expect(most - before).toBeLessThan(100)
  const { trace = [] } = await sandbox.flows.get('f1')
  expect([trace.length, trace[0]?.signals.length, trace[0]?.signals[0]?.checks.length]).toEqual([100, 50, 7])
  expect(trace.filter(({ satisfied }) => satisfied)).toHaveLength(21)
})

const CALL = 'event: call\n'

/** A reader of the events, once it is listened for. A paused one takes nothing from its connection until it is resumed. */
async function readEvents(sandbox: Sandbox) {
  const { hostname, port } = new URL(sandbox.url)
  const socket = connect(Number(port), hostname)
  let calls = 0
  let end = ''
  const isLetGo = new Promise((resolve) => socket.on('close', resolve))
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    const text = end + chunk.toString('latin1')
    calls += text.split(CALL).length - 1
    end = text.slice(1 - CALL.length)
  })
  socket.write('GET /_sandbox/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'data')
  return { socket, isLetGo, calls: () => calls }
}

test('readers that never read the events are let go, and those that read miss none', { timeout: 120_000 }, async () => {
  const sandbox = await start()
  const readers = (length: number) => Promise.all(Array.from({ length }, () => readEvents(sandbox)))
  const [good, stalled] = [await readers(3), await readers(97)]
  for (const { socket } of stalled) socket.pause()
  const before = await usedMiB()
  // All together more than the buffers of both sockets hold; each part less, so that a good reader keeps up.
  for (let sent = 100; sent <= 3_000; sent += 100) {
    await flood(sandbox, 100, { state: 's'.repeat(4_000) })
    await vi.waitFor(() => expect(good.map(({ calls }) => calls())).toEqual([sent, sent, sent]), 10_000)
  }
  expect((await usedMiB()) - before).toBeLessThan(60)
  for (const { socket } of stalled) socket.resume()
  await Promise.all(stalled.map(({ isLetGo }) => isLetGo))
})
