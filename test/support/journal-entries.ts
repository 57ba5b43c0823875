import type { CallRecord, KeptCall } from '../../src/sandbox/journal/call-record.ts'
import type { Flow, JournalEntry } from '../../src/sandbox/journal/journal.ts'

/** A recorded call; `changes` replaces members of a good E1 call. */
export const recordedCall = (changes: Partial<CallRecord> = {}): CallRecord => ({
  at: '2026-06-01T12:00:00.250Z',
  endpoint: 'E1',
  method: 'GET',
  path: '/v1/oidc/use',
  status: 302,
  parameters: {},
  findings: [],
  response: { kind: 'text', text: '' },
  ...changes,
})

/** The answer with which the browser brings `params` back to the app. */
export const callbackWith = (params: Readonly<Record<string, string>>): CallRecord['response'] => ({
  kind: 'callback',
  callback: {
    mode: 'fragment',
    redirectUri: 'http://localhost:3000/callback',
    params: Object.entries(params),
  },
})

/** An ended Use flow; `changes` replaces members of it. */
export const listedFlow = (changes: Partial<Flow> = {}): Flow => ({
  id: 'f1',
  tenant: 'default',
  flow: 'use',
  started_at: '2026-06-01T12:00:00.250Z',
  ended_at: '2026-06-01T12:00:01.000Z',
  calls: [recordedCall({ response: callbackWith({ id_token: 'a.b.c' }) })],
  ...changes,
})

/** The same entry as the journal keeps it. */
export const keptCall = ({
  parameters = {},
  ...changes
}: Partial<CallRecord & KeptCall> = {}): KeptCall => {
  const { parameters: _, ...call } = recordedCall(changes)
  return { ...call, sent: changes.sent ?? { kind: 'json', text: JSON.stringify(parameters) } }
}

/** A Use flow of one call, as the journal records it; `call` changes members of the call. */
export const useFlowEntry = ({
  call,
  ...changes
}: Partial<Omit<JournalEntry, 'call'>> & {
  call?: Partial<CallRecord & KeptCall>
} = {}): JournalEntry => ({
  correlationIds: [],
  issuedIds: [],
  facts: { flow: 'use' },
  begins: true,
  ends: true,
  seen: [],
  mask: (value) => value,
  ...changes,
  call: keptCall(call),
})

export async function allOf<Item>(list: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of list) items.push(item)
  return items
}
