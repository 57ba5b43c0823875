import supertest from 'supertest'
import { expect, test } from 'vitest'
import { Refusal } from '../../src/oidc/refusal.ts'
import { createApp } from '../../src/server/app.ts'
import { createMemoryJournal } from '../../src/store/memory-journal.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { createTestHost } from '../support/host.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { createTestParts } from '../support/tenant.ts'

/** A relying party of a sandbox whose journal fails to record, and the errors that were reported to `onError`. */
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
])('A call that cannot be recorded is answered all the same: %s', async (_case, failure, reports) => {
  const { party, errors } = await startWithJournalThatFails(failure)
  const answer = await party.exchange(await party.obtainCode())
  expect([answer.status, answer.headers['x-agekey-sandbox-flow']]).toEqual([200, undefined])
  expect([(await party.push()).status, errors]).toEqual([201, Array(reports).fill(failure)])
})
