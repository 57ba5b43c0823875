import { describe, expect, test } from 'vitest'
import type { RecordedResponse } from '../../../src/sandbox/journal/call-record.ts'
import { findReplayableAnswer } from '../../../src/sandbox/outcomes/replayable-answers.ts'
import { createMemoryJournal } from '../../../src/store/memory-journal.ts'
import { useFlowEntry } from '../../support/journal-entries.ts'

const redirected = (idToken: string): RecordedResponse => ({
  kind: 'callback',
  callback: { mode: 'fragment', redirectUri: 'http://localhost:3000/cb', params: [['id_token', idToken]] },
})

/** A journal with Use flows in the order in which they ended: what each sent, and what came back. */
async function journalWith(
  ...flows: { state: string; nonce: string; outcome?: string; client?: string; response: RecordedResponse }[]
) {
  const journal = createMemoryJournal()
  for (const { state, nonce, outcome = 'verified', client = 'web-shop', response } of flows) {
    const facts = { flow: 'use', client_id: client, state, outcome } as const
    await journal.record('default', useFlowEntry({ facts, call: { parameters: { state, nonce }, response } }))
  }
  return { journal, name: 'default' }
}

const request = { clientId: 'web-shop', state: 'now', nonce: 'now' }

describe('findReplayableAnswer', () => {
  test('finds the newest good answer of the client', async () => {
    const tenant = await journalWith(
      { state: 's1', nonce: 'n1', response: redirected('first') },
      { state: 's2', nonce: 'n2', response: redirected('second') },
      { state: 's3', nonce: 'n3', response: redirected('spoiled'), outcome: 'id_token.expired' },
      { state: 's4', nonce: 'n4', response: redirected('of another client'), client: 'other' },
    )
    expect(await findReplayableAnswer(request, tenant)).toEqual({ state: 's2', nonce: 'n2', idToken: 'second' })
  })

  test.each([
    ['state', { state: 'now', nonce: 'n2' }],
    ['nonce', { state: 's2', nonce: 'now' }],
  ])('passes over an answer with the %s of the request for an older one without', async (_name, shared) => {
    const tenant = await journalWith(
      { state: 's1', nonce: 'n1', response: redirected('first') },
      { ...shared, response: redirected('second') },
    )
    expect(await findReplayableAnswer(request, tenant)).toMatchObject({ idToken: 'first' })
  })

  test('finds the newest answer of a client that sends the same state each time', async () => {
    const tenant = await journalWith(
      { state: 'now', nonce: 'n1', response: redirected('first') },
      { state: 'now', nonce: 'n2', response: redirected('second') },
    )
    expect(await findReplayableAnswer(request, tenant)).toMatchObject({ idToken: 'second' })
  })

  test('finds none that has the nonce of the request', async () => {
    const tenant = await journalWith({ state: 's1', nonce: 'now', response: redirected('first') })
    expect(await findReplayableAnswer(request, tenant)).toBeUndefined()
  })

  test('looks at ten flows, and passes over those without an answer, a state or a nonce', async () => {
    const good = { state: 's1', nonce: 'n1', response: redirected('first') }
    const shared = { state: 's2', nonce: 'now', response: redirected('second') }
    const foundBehind = async (count: number) =>
      findReplayableAnswer(request, await journalWith(good, ...Array(count).fill(shared)))
    expect([await foundBehind(9), await foundBehind(10)]).toMatchObject([{ idToken: 'first' }, undefined])
    const params = [
      ['state', 's'],
      ['id_token', 'behind'],
    ] as const
    const behind = {
      ...redirected(''),
      callback: { mode: 'query', redirectUri: 'http://localhost:3000/cb', params },
    } as const
    const without = { kind: 'callback', callback: { ...behind.callback, params: [['state', 's']] } } as const
    const other = { kind: 'json', value: {} } as const
    const tenant = await journalWith(good, { ...good, response: without }, { ...good, response: other })
    expect(await findReplayableAnswer(request, tenant)).toMatchObject({ idToken: 'first' })
    const facts = { flow: 'use', client_id: 'web-shop', outcome: 'verified' } as const
    const response = { kind: 'callback', callback: behind.callback } as const
    for (const parameters of [{ state: 's' }, { nonce: 'n' }, { state: 1, nonce: 'n' }, { state: 's', nonce: 1 }])
      await tenant.journal.record('default', useFlowEntry({ facts, call: { parameters, response } }))
    expect(await findReplayableAnswer(request, tenant)).toMatchObject({ idToken: 'first' })
    const parameters = { state: 's', nonce: 'n' }
    await tenant.journal.record('default', useFlowEntry({ facts, call: { parameters, response } }))
    expect(await findReplayableAnswer(request, tenant)).toMatchObject({ idToken: 'behind' })
  })

  test('finds an answer that a form posted', async () => {
    const response = { kind: 'page', title: 'Back to the app', params: { id_token: 'posted' } } as const
    const tenant = await journalWith({ state: 's1', nonce: 'n1', response })
    expect(await findReplayableAnswer(request, tenant)).toMatchObject({ idToken: 'posted' })
  })

  test('finds none where none reached the relying party, as in an iframe', async () => {
    const tenant = await journalWith({
      state: 's1',
      nonce: 'n1',
      response: { kind: 'page', title: 'The flow has ended' },
    })
    expect(await findReplayableAnswer(request, tenant)).toBeUndefined()
    expect(await findReplayableAnswer(request, await journalWith())).toBeUndefined()
  })
})
