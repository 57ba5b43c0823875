import { expect, test } from 'vitest'
import { findEarlier } from '../../../src/sandbox/decision/possible-outcome.ts'
import type { RecordedResponse } from '../../../src/sandbox/journal/call-record.ts'
import { createMemoryJournal } from '../../../src/server/store/memory-journal.ts'
import { callbackWith, useFlowEntry } from '../../support/journal-entries.ts'

const callback = (idToken: string) => callbackWith({ id_token: idToken })
const GOOD = { outcome: 'verified', client: 'web-shop' }
const FIRST = { state: 's1', nonce: 'n1', response: callback('first') }

type Ended = { response: RecordedResponse; outcome?: string; client?: string } & Readonly<
  Record<string, unknown>
>

/**
 * The answer to replay, out of Use flows in the order in which they ended: what each sent, and what
 * came back.
 */
async function replayed(...flows: readonly Ended[]) {
  const journal = createMemoryJournal()
  for (const [index, flow] of flows.entries()) {
    const { response, outcome, client: client_id, ...parameters } = { ...GOOD, ...flow }
    const facts = { flow: 'use', client_id, outcome } as const
    const page = { parameters, response: { kind: 'page', title: 'Choose' } as const }
    await journal.record(
      'default',
      useFlowEntry({ facts, ends: false, issuedIds: [`t${index}`], call: page }),
    )
    await journal.record(
      'default',
      useFlowEntry({ facts, correlationIds: [`t${index}`], call: { response } }),
    )
  }
  return findEarlier(
    { flow: 'use', clientId: 'web-shop', state: 'now', nonce: 'now' },
    { journal, name: 'default' },
  )
}

const spoiled = {
  state: 's3',
  nonce: 'n3',
  response: callback('spoiled'),
  outcome: 'id_token.expired',
}
const ofOther = {
  state: 's4',
  nonce: 'n4',
  response: callback('of another client'),
  client: 'other',
}
const second = { state: 's2', nonce: 'n2', response: callback('second') }

test.each<[what: string, flows: Ended[], told: string | undefined]>([
  ['the newest good answer of the client', [FIRST, second, spoiled, ofOther], 's2 n2 second'],
  [
    'an older answer than one with the state of the request',
    [FIRST, { ...second, state: 'now' }],
    's1 n1 first',
  ],
  [
    'an older answer than one with the nonce of the request',
    [FIRST, { ...second, nonce: 'now' }],
    's1 n1 first',
  ],
  [
    'the newest of one state',
    [FIRST, second].map((flow) => ({ ...flow, state: 'now' })),
    'now n2 second',
  ],
  ['none that has the nonce of the request', [{ ...FIRST, nonce: 'now' }], undefined],
])('Out of the Use flows of a tenant this is replayed: %s', async (_what, flows, told) => {
  const answer = await replayed(...flows)
  expect(answer && `${answer.state} ${answer.nonce} ${answer.idToken}`).toBe(told)
})

test('An answer to replay is looked for in ten flows', async () => {
  const foundBehind = (count: number) =>
    replayed(FIRST, ...Array(count).fill({ ...FIRST, nonce: 'now' }))
  expect(await foundBehind(9)).toMatchObject({ idToken: 'first' })
  expect(await foundBehind(10)).toBeUndefined()
})

const BEHIND = callbackWith({ state: 's', id_token: 'behind' })

test.each<[string, Ended]>([
  ['an id_token in its callback', { ...FIRST, response: callbackWith({ state: 's' }) }],
  ['a callback', { ...FIRST, response: { kind: 'json', value: {} } }],
  ['a nonce', { state: 's', response: BEHIND }],
  ['a state', { nonce: 'n', response: BEHIND }],
  ['a state that is a text', { state: 1, nonce: 'n', response: BEHIND }],
  ['a nonce that is a text', { state: 's', nonce: 1, response: BEHIND }],
])('A flow without %s is passed over by a replay', async (_what, flow) => {
  expect(await replayed(FIRST, flow)).toMatchObject({ idToken: 'first' })
})

test('An id_token behind other parameters, or in a form, is replayed', async () => {
  expect(await replayed(FIRST, { state: 's', nonce: 'n', response: BEHIND })).toMatchObject({
    idToken: 'behind',
  })
  const response = {
    kind: 'page',
    title: 'Back to the app',
    params: { id_token: 'posted' },
  } as const
  expect(await replayed({ ...FIRST, response })).toMatchObject({ idToken: 'posted' })
})

test('Nothing is replayed where no answer reached the relying party, as in an iframe', async () => {
  expect(
    await replayed({ ...FIRST, response: { kind: 'page', title: 'The flow has ended' } }),
  ).toBeUndefined()
  expect(await replayed()).toBeUndefined()
})
