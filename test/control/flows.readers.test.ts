import { createServer } from 'node:http'
import { expect, test, vi } from 'vitest'
import type { Journal } from '../../src/sandbox/journal/journal.ts'
import { createApp } from '../../src/server/app.ts'
import { createMemoryJournal } from '../../src/store/memory-journal.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { listenOnFreePort } from '../support/listen-on-free-port.ts'
import { useRequest } from '../support/requests.ts'
import { createTestParts } from '../support/tenant.ts'

async function startCounting() {
  const journal = createMemoryJournal()
  let listeners = 0
  let lists = 0
  const counting: Journal = {
    ...journal,
    list(...options) {
      lists += 1
      return journal.list(...options)
    },
    subscribe(listener) {
      listeners += 1
      const stop = journal.subscribe(listener)
      return () => {
        listeners -= 1
        stop()
      }
    },
  }
  const host = createTestHost({ ...(await createTestParts(createMemoryStores())), journal: counting })
  const url = `http://${await listenOnFreePort(createServer(createApp(host)))}`
  return { url, listeners: () => listeners, lists: () => lists }
}

test('A call that waits looks at the journal only after a flow that fits has ended', async () => {
  const { url, listeners, lists } = await startCounting()
  const end = async (outcome: string) => {
    const query = new URLSearchParams({ ...useRequest(), sandbox_outcome: outcome })
    await fetch(`${url}/v1/oidc/use?${query}`, { redirect: 'manual' })
  }
  const answers = Array.from({ length: 10 }, () => fetch(`${url}/_sandbox/flows?wait=60&outcome=server_error`))
  await vi.waitFor(() => expect(listeners()).toBe(10), 5_000)
  await vi.waitFor(() => expect(lists()).toBe(10), 5_000)
  for (let n = 0; n < 20; n++) await end('access_denied')
  // The choice page itself looks for an earlier flow, once.
  await fetch(`${url}/v1/oidc/use?${new URLSearchParams(useRequest())}`)
  expect(lists()).toBe(11)
  await end('server_error')
  for (const answer of answers) expect(await (await answer).json()).toMatchObject({ flows: [{ id: 'f22' }] })
  expect(lists()).toBe(21)
})

test.each([
  ['events', 1],
  ['flows?wait=60', 20],
])('Readers of %s that go away are listened for no longer', async (path, count) => {
  const { url, listeners } = await startCounting()
  const readers = Array.from({ length: 20 }, () => new AbortController())
  for (const { signal } of readers) fetch(`${url}/_sandbox/${path}`, { signal }).catch(() => undefined)
  await vi.waitFor(() => expect(listeners()).toBe(count), 5_000)
  for (const reader of readers) reader.abort()
  await vi.waitFor(() => expect(listeners()).toBe(0), 5_000)
})
