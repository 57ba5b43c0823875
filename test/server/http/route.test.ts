import supertest from 'supertest'
import { expect, test } from 'vitest'
import { takeTurn } from '../../../src/sandbox/take-turn.ts'
import { createApp } from '../../../src/server/app.ts'
import { createMemoryJournal } from '../../../src/server/store/memory-journal.ts'
import { createMemoryStores } from '../../../src/server/store/stores.ts'
import { Refusal } from '../../../src/service/oidc/refusal.ts'
import { createTestHost } from '../../support/host.ts'
import { exchangeRaw } from '../../support/raw-exchange.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { createTestParts } from '../../support/tenant.ts'

/**
 * A relying party of a sandbox whose journal fails to record, and the errors that were reported to
 * `onError`.
 */
async function startWithJournalThatFails(failure: Error) {
  const journal = { ...createMemoryJournal(), record: () => Promise.reject(failure) }
  const parts = { ...(await createTestParts(createMemoryStores())), journal }
  const errors: unknown[] = []
  const host = createTestHost(parts, { onError: (error) => errors.push(error) })
  return { party: createRelyingParty({ request: supertest(createApp(host)) }), errors }
}

test.each([
  ['a store that does not answer', Refusal.unavailable('the store does not answer'), 0],
  ['a defect, which the host hears of', new TypeError('the journal is damaged'), 3],
])(
  'A call that cannot be recorded is answered all the same: %s',
  async (_case, failure, reports) => {
    const { party, errors } = await startWithJournalThatFails(failure)
    const answer = await party.exchange(await party.obtainCode())
    expect(answer.status).toBe(200)
    expect(answer.headers['x-agekey-sandbox-flow']).toBeUndefined()
    expect((await party.push()).status).toBe(201)
    expect(errors).toEqual(Array(reports).fill(failure))
  },
)

/** Work of other requests for half a second, of which `left` counts down. */
function busyTurns() {
  const turns = { left: 100, done: Promise.resolve() }
  const work = Array.from({ length: turns.left }, async () => {
    await takeTurn()
    for (const end = performance.now() + 5; performance.now() < end; );
    turns.left -= 1
  })
  turns.done = Promise.all(work).then(() => {})
  return turns
}

test('A page waits for its turn behind the work of others, unlike a call of a flow', async () => {
  const { request } = await startSandbox()
  await request.get('/_sandbox/personas').expect(200)
  const turns = busyTurns()
  const left: Record<string, number> = {}
  const paths = {
    page: '/_sandbox/personas',
    call: '/.well-known/jwks.json',
    health: '/_sandbox/health',
  }
  const ask = async ([name, path]: [string, string]) => {
    await request.get(path).expect(200)
    left[name] = turns.left
  }
  await Promise.all(Object.entries(paths).map(ask))
  expect(left['page']).toBe(0)
  for (const name of ['call', 'health']) expect(left[name]).toBeGreaterThan(0)
})

test('Nothing is done for a caller that went away before its turn', async () => {
  const { url, request } = await startSandbox()
  await request.get('/_sandbox/tenants/gone').expect(404)
  const headers =
    'Host: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close'
  const put = (name: string, ending: 'wait' | 'close') =>
    exchangeRaw(url, `PUT /_sandbox/tenants/${name} HTTP/1.1\r\n${headers}\r\n\r\n{}`, { ending })
  const turns = busyTurns()
  await Promise.all([put('gone', 'close'), put('stays', 'wait'), turns.done])
  await request.get('/_sandbox/tenants/stays').expect(200)
  await request.get('/_sandbox/tenants/gone').expect(404)
})
