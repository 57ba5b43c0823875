import { createServer } from 'node:http'
import { PassThrough, Writable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Journal, JournalEvent } from '../../../src/sandbox/journal/journal.ts'
import { createApp } from '../../../src/server/app.ts'
import { feedOf } from '../../../src/server/control/event-feed.ts'
import { createMemoryJournal } from '../../../src/server/store/memory-journal.ts'
import { createMemoryStores } from '../../../src/server/store/stores.ts'
import { createTestHost } from '../../support/host.ts'
import { listenOnFreePort } from '../../support/listen-on-free-port.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { createTestParts } from '../../support/tenant.ts'

const event = (text: string, tenant = 'default'): JournalEvent => ({
  type: 'scenario',
  tenant,
  data: { text },
})

function startFeed() {
  const journal = createMemoryJournal()
  const open = (stream: Writable, tenant = 'default') => {
    const gone = new AbortController()
    feedOf(journal).open(tenant, gone.signal)(stream)
    return () => gone.abort()
  }
  return { announce: journal.announce, open }
}

function createReader() {
  const chunks: unknown[] = []
  const stream = new Writable({
    highWaterMark: 16_384,
    write(chunk, _encoding, done) {
      chunks.push(chunk)
      setImmediate(done)
    },
  })
  return {
    stream,
    chunks,
    text: () => Buffer.concat(chunks.filter((chunk) => Buffer.isBuffer(chunk))).toString(),
  }
}

test('A reader receives the events of its tenant since it came', async () => {
  const { announce, open } = startFeed()
  const [first, second] = [createReader(), createReader()]
  open(first.stream, 'one')
  announce(event('to one', 'one'))
  open(second.stream, 'one')
  announce(event('to two', 'two'))
  announce(event('to one again', 'one'))
  const textsOf = ({ text }: typeof first) =>
    [...text().matchAll(/"text":"([^"]*)"/g)].map(([, said]) => said)
  await vi.waitFor(() => expect(textsOf(second)).toEqual(['to one again']))
  expect(textsOf(first)).toEqual(['to one', 'to one again'])
})

test('A reader that reads misses nothing of a burst', async () => {
  const { announce, open } = startFeed()
  const good = createReader()
  const stalled = new PassThrough({ highWaterMark: 16_384 })
  open(good.stream)
  open(stalled)
  // In one turn of the event loop, so that neither can read meanwhile.
  for (let n = 0; n < 900; n++) announce(event(`${n} ${'x'.repeat(1_000)}`))
  expect(stalled.destroyed).toBe(false)
  expect(stalled.writableLength + stalled.readableLength).toBeLessThan(40_000)
  await vi.waitFor(() => expect(good.text().split('event: scenario')).toHaveLength(901), 5_000)
  for (let n = 0; n < 200; n++) announce(event(`${n} ${'x'.repeat(1_000)}`))
  expect(good.stream.destroyed).toBe(false)
  expect(stalled.destroyed).toBe(true)
  await vi.waitFor(() => expect(good.text().split('event: scenario')).toHaveLength(1_101), 5_000)
})

test('A reader is sent a comment every 15 seconds, so that no proxy takes its connection for an idle one', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const reader = createReader()
  startFeed().open(reader.stream)
  vi.advanceTimersByTime(15_000)
  await vi.waitFor(() => expect(reader.text()).toMatch(/\n: still here\n\n$/))
})

test('A hundred readers of all tenants listen at a time', async () => {
  const sandbox = await startSandbox()
  // An answer that is collected as garbage closes its connection.
  const readers: { readonly reader: AbortController; readonly answer: Response }[] = []
  const open = async (path: string, method = 'GET') => {
    const reader = new AbortController()
    onTestFinished(() => reader.abort())
    const answer = await fetch(`${sandbox.baseUrl}${path}/_sandbox/events`, {
      method,
      signal: reader.signal,
    })
    if (answer.status === 200 && method === 'GET') readers.push({ reader, answer })
    return answer
  }
  for (let n = 0; n < 99; n++) expect((await open(n % 2 === 0 ? '' : '/t/other')).status).toBe(200)
  for (let n = 0; n < 5; n++) expect((await open('', 'HEAD')).status).toBe(200)
  await vi.waitFor(async () => expect((await open('/t/third')).status).toBe(200))
  const refused = await open('')
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('1')
  const said =
    'events: 100 readers listen already, which is all that may; close one of them, or try again later'
  expect(await refused.json()).toMatchObject({
    error: 'temporarily_unavailable',
    error_description: said,
  })
  readers[0]?.reader.abort()
  await vi.waitFor(async () => expect((await open('')).status).toBe(200))
})

test('The stream of events tells every proxy to hold nothing back', async () => {
  const sandbox = await startSandbox()
  const { headers } = await fetch(`${sandbox.baseUrl}/_sandbox/events`, { method: 'HEAD' })
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-accel-buffering')).toBe('no')
})

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
  const host = createTestHost({
    ...(await createTestParts(createMemoryStores())),
    journal: counting,
  })
  const url = `http://${await listenOnFreePort(createServer(createApp(host)))}`
  return { url, listeners: () => listeners, lists: () => lists }
}

test('A call that waits looks at the journal only after a flow that fits has ended', async () => {
  const { url, listeners, lists } = await startCounting()
  const end = async (outcome: string) => {
    const query = new URLSearchParams({ ...useRequest(), sandbox_outcome: outcome })
    await fetch(`${url}/v1/oidc/use?${query}`, { redirect: 'manual' })
  }
  const answers = Array.from({ length: 10 }, () =>
    fetch(`${url}/_sandbox/flows?wait=60&outcome=server_error`),
  )
  await vi.waitFor(() => expect(listeners()).toBe(10), 5_000)
  await vi.waitFor(() => expect(lists()).toBe(10), 5_000)
  for (let n = 0; n < 20; n++) await end('access_denied')
  // The choice page itself looks for an earlier flow, once.
  await fetch(`${url}/v1/oidc/use?${new URLSearchParams(useRequest())}`)
  expect(lists()).toBe(11)
  await end('server_error')
  for (const answer of answers)
    expect(await (await answer).json()).toMatchObject({ flows: [{ id: 'f22' }] })
  expect(lists()).toBe(21)
})

test.each([
  ['events', 1],
  ['flows?wait=60', 20],
])('Readers of %s that go away are listened for no longer', async (path, count) => {
  const { url, listeners } = await startCounting()
  const readers = Array.from({ length: 20 }, () => new AbortController())
  for (const { signal } of readers)
    fetch(`${url}/_sandbox/${path}`, { signal }).catch(() => undefined)
  await vi.waitFor(() => expect(listeners()).toBe(count), 5_000)
  for (const reader of readers) reader.abort()
  await vi.waitFor(() => expect(listeners()).toBe(0), 5_000)
})
