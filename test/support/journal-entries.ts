import type { JournalEntry } from '../../src/sandbox/journal/journal.ts'

/** A Use flow of one call, as the journal records it; `call` changes members of the call. */
export const useFlowEntry = ({
  call,
  ...changes
}: Partial<Omit<JournalEntry, 'call'>> & { call?: Partial<JournalEntry['call']> } = {}): JournalEntry => ({
  correlationIds: [],
  issuedIds: [],
  facts: { flow: 'use' },
  begins: true,
  ends: true,
  ...changes,
  call: {
    at: '2026-06-01T12:00:00.000Z',
    endpoint: 'E1',
    method: 'GET',
    path: '/v1/oidc/use',
    status: 302,
    parameters: {},
    findings: [],
    response: { kind: 'text', text: '' },
    ...call,
  },
})

/** All that a list gives, read to its end. */
export async function allOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}
