import { expect, test } from 'vitest'
import type { ListedFlow } from '../../../src/sandbox/journal/journal.ts'
import { searchFlows } from '../../../src/sandbox/journal/search-flows.ts'
import { allOf, callbackWith, listedFlow, recordedCall } from '../../support/journal-entries.ts'

const asking = recordedCall({ parameters: { claims: '{"age_thresholds":[18]}' }, status: 400 })
const failing = callbackWith({ error: 'server_error', error_description: 'it failed' })
const flows: readonly ListedFlow[] = [
  listedFlow({ id: 'f3', client_id: 'web-shop', calls: [asking] }),
  listedFlow({ id: 'f2', persona: 'teen-16', age_thresholds: { 18: false } }),
  listedFlow({ id: 'f1', state: 'S-1', calls: [recordedCall({ response: failing })] }),
]

async function* listed(read: string[] = []): AsyncGenerator<ListedFlow> {
  for (const flow of flows) {
    read.push(flow.id)
    yield flow
  }
}

test.each([
  ['nothing', {}, ['f3', 'f2', 'f1']],
  ['a status', { status: 'error' }, ['f3', 'f1']],
  ['a part of a client id, in another case', { q: 'WEB-sh' }, ['f3']],
  ['what was sent', { q: 'age_thresholds' }, ['f3', 'f2']],
  ['the summary', { q: '18 no' }, ['f2']],
  ['words of the callback in any order', { q: 'failed it' }, ['f1']],
  ['a state', { q: 's-1' }, ['f1']],
  ['words of which one is nowhere', { q: 'server_error nowhere' }, []],
  ['text and a status', { q: '18', status: 'error' }, ['f3']],
] as const)('A search for %s finds the flows that hold it', async (_, search, ids) => {
  expect((await allOf(searchFlows(listed(), search))).map(({ id }) => id)).toEqual(ids)
})

test('A search reads no more flows than its reader takes', async () => {
  const read: string[] = []
  for await (const { id } of searchFlows(listed(read), { q: 'teen-16' })) {
    expect(id).toBe('f2')
    break
  }
  expect(read).toEqual(['f3', 'f2'])
})
