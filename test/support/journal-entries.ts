import type { JournalEntry } from '../../src/sandbox/journal/journal.ts'
import { recordedCall } from './listed-flow.ts'

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
  call: recordedCall(call),
})

/** All that a list gives, read to its end. */
export async function allOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}
