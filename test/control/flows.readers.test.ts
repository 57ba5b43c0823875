import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Journal } from '../../src/sandbox/journal/journal.ts'
import { createApp } from '../../src/server/app.ts'
import { createMemoryJournal } from '../../src/store/memory-journal.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { createTestParts } from '../support/tenant.ts'

/** A sandbox that counts those who listen to its journal. */
async function startCounting() {
  const journal = createMemoryJournal()
  let listeners = 0
  const counting: Journal = {
    ...journal,
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
  const server = createServer(createApp(host)).listen(0, '127.0.0.1')
  onTestFinished(() => void server.closeAllConnections())
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, listeners: () => listeners }
}

test.each(['events', 'flows?wait=60'])('A reader of %s that goes away is listened for no longer', async (path) => {
  const { url, listeners } = await startCounting()
  const readers = Array.from({ length: 20 }, () => new AbortController())
  for (const { signal } of readers) fetch(`${url}/_sandbox/${path}`, { signal }).catch(() => undefined)
  await vi.waitFor(() => expect(listeners()).toBe(20), 5_000)
  for (const reader of readers) reader.abort()
  await vi.waitFor(() => expect(listeners()).toBe(0), 5_000)
})
