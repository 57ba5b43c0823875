import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, type Sandbox } from '../../src/server/create-sandbox.ts'
import { useRequest } from '../support/requests.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

async function usedMiB(): Promise<number> {
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
  { state = 's'.repeat(200), pathOf = () => '' }: { state?: string; pathOf?: (flow: number) => string } = {},
): Promise<void> {
  let sent = 0
  const send = async () => {
    while (sent < flows) {
      sent += 1
      const query = new URLSearchParams(useRequest({ state: `${state}${sent}` }))
      const url = `${sandbox.url}${pathOf(sent)}/v1/oidc/use?${query}`
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
  expect((await sandbox.flows.list()).length).toBeLessThanOrEqual(2_000)
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

test('who never reads the events is let go', { timeout: 60_000 }, async () => {
  const sandbox = await start()
  const { hostname, port } = new URL(sandbox.url)
  const reader = connect(Number(port), hostname)
  const isLetGo = new Promise((resolve) => reader.on('close', resolve))
  reader.on('error', () => undefined)
  reader.write('GET /_sandbox/events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  reader.pause()
  // More than the buffers of both sockets hold.
  await flood(sandbox, 1_000, { state: 's'.repeat(12_000) })
  reader.resume()
  await isLetGo
})
