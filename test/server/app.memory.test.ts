import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createApp } from '../../src/server/app.ts'
import { createSandbox } from '../../src/server/create-sandbox.ts'
import { createMemoryDirectory, createMemoryStores } from '../../src/server/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { createClient } from '../support/http-client.ts'
import { listenOnFreePort } from '../support/listen-on-free-port.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { claims, useRequest } from '../support/requests.ts'
import { createTestParts } from '../support/tenant.ts'
import { usedBytes } from '../support/used-bytes.ts'

const MIB = 1024 * 1024

/**
 * A sandbox in this process with a small budget: not `startSandbox`, which remembers every call.
 */
async function start(memoryBudget: number) {
  const sandbox = await createSandbox({ outcome: 'access_denied', memoryBudget })
  onTestFinished(() => sandbox.close())
  return sandbox
}

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

async function growth(act: () => Promise<unknown>): Promise<number> {
  const before = await usedBytes()
  await act()
  return ((await usedBytes()) - before) / MIB
}

const MANY = { timeout: 120_000 }
const CREATED = { sandbox_outcome: 'created' }

test('Flows without end leave no more behind than the journal may hold', MANY, async () => {
  const { url, flows } = await start(6)
  const large = { claims: `${claims()}${' '.repeat(60_000)}` }
  await repeat(20, () => use(url, large))
  // From here on the journal is full: whatever grows now would grow for ever.
  expect(await growth(() => repeat(120, () => use(url, large)))).toBeLessThan(3)
  expect((await flows.list()).length).toBeLessThan(20)
})

test('Tenants without end leave as many behind as the directory may hold', MANY, async () => {
  const parts = await createTestParts(createMemoryStores())
  const app = createApp(createTestHost({ ...parts, directory: createMemoryDirectory({ max: 30 }) }))
  const url = `http://${await listenOnFreePort(createServer(app))}`
  const call = (prefix: string) => (n: number) => use(`${url}/t/${prefix}-${n}`, {})
  // The journal keeps what the clients of 200 tenants have seen.
  await repeat(250, call('first'))
  expect(await growth(() => repeat(300, call('then')))).toBeLessThan(3)
  expect(await (await fetch(`${url}/_sandbox/tenants`)).json()).toMatchObject({
    tenants: { length: 31 },
  })
})

test('Pushed requests without end leave no more behind than the memory budget', async () => {
  const party = createRelyingParty(createClient((await start(3)).url))
  const push = (n: number) => party.obtainRequestUri({ state: `${n}${'ж'.repeat(2_000)}` })
  const endOf = async (requestUri: string) =>
    (await party.create(requestUri, CREATED)).params['error']
  const first = await push(0)
  await repeat(300, push)
  expect(await endOf(first)).toBe('invalid_request_uri')
  expect(await endOf(await push(1_000))).toBeUndefined()
})

test('Tenants that a control call makes keep nothing of its long address', MANY, async () => {
  const { url } = await start(30)
  const call = (padding: string) => async (n: number) =>
    (await fetch(`${url}/t/with-a-long-name-${n}/_sandbox/clock?${padding}`)).arrayBuffer()
  await repeat(20, call(''))
  // 11 million characters, of which 120 names are kept.
  expect(await growth(() => repeat(120, call('&'.repeat(90_000))))).toBeLessThan(7)
  expect(await (await fetch(`${url}/_sandbox/tenants`)).json()).toMatchObject({
    tenants: { length: 121 },
  })
})

test(
  'Tenants keep nothing of a long request but its parts, beside what the journal may hold',
  MANY,
  async () => {
    const { url } = await start(30)
    const call = (padding: string) => (n: number) =>
      use(`${url}/t/with-a-long-name-${n}`, { state: `a state of its own ${n}` }, padding)
    await repeat(20, call(''))
    // 11 million characters, of which no parameter is made, beside what 100 tenants take.
    expect(await growth(() => repeat(120, call('&'.repeat(90_000))))).toBeLessThan(7)
    expect(await (await fetch(`${url}/_sandbox/tenants`)).json()).toMatchObject({
      tenants: { length: 121 },
    })
  },
)
