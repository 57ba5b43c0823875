import { expect, test } from 'vitest'
import {
  keepPending,
  type Pending,
  peekPending,
  takePending,
  wasAnswered,
} from '../../../src/sandbox/decision/pending.ts'
import { createIds } from '../../../src/sandbox/tenants/ids.ts'
import { createMemoryStore } from '../../../src/server/store/memory.ts'
import type { AgeSignal } from '../../../src/service/age/signal.ts'

const NOON = Date.parse('2026-06-01T12:00:00Z')
const ANOTHER_HOUR = 3_600_000
const CLIENT = { clientId: 'web-shop', redirectUri: 'http://localhost:3000/callback', state: 's' }

const pending: Pending = {
  baseUrl: 'http://localhost:2435',
  transaction: {
    ...CLIENT,
    ...{ flow: 'use', mode: 'form_post', nonce: 'n', upgrade: true, canCreate: false },
    claims: {
      age_thresholds: [13, 18],
      provenance: { denied: ['/veratad/*'] },
      overrides: { facial_age_estimation: { min_age: 21, attributes: { on_device: true } } },
    },
    claimsText: '{"age_thresholds":[13,18]}',
    presentation: {
      theme: 'dark',
      language: 'de',
      learnMore: true,
      appearance: { primary_color: '#fff' },
    },
  },
  findings: [{ rule: 'USE-13', level: 'advice', path: 'theme', message: 'no', hint: 'yes' }],
}

const scan: AgeSignal = {
  ...{ method: 'id_doc_scan', age: { date_of_birth: '1990-01-01' }, verified_at: '2026-05-01' },
  ...{ provenance: '/veratad/roc', attributes: { issuing_country: 'DE' }, iso_27566_1: 'strict' },
}
const created: Pending = {
  baseUrl: 'http://localhost:2435',
  transaction: {
    ...CLIENT,
    ...{ flow: 'create', mode: 'query', pushedRequestId: 'p', signals: [scan] },
    presentation: { theme: 'light', learnMore: false, appearance: {} },
  },
  findings: [],
}

function start() {
  let now = NOON
  const clock = { now: () => now }
  const moveTo = (instant: number) => {
    now = instant
  }
  return {
    store: createMemoryStore({ clock }),
    ids: createIds({ seed: 1, scope: 'test' }),
    clock,
    moveTo,
  }
}

test.each([
  ['Use', pending],
  ['Create', created],
])('A %s request that waits for its user is read back whole', async (_, kept) => {
  const ports = start()
  expect(await peekPending(await keepPending(kept, ports), ports)).toEqual(kept)
  expect(await peekPending('unknown', ports)).toBeUndefined()
})

test('A pending request is taken by one of two callers', async () => {
  const { store, ...others } = start()
  const kept: string[] = []
  const put: typeof store.put = (...record) => {
    kept.push(`${record[0]}, is unfinished: ${record[4]?.isUnfinished}`)
    return store.put(...record)
  }
  const write: typeof store.write = (changes) => {
    for (const one of changes)
      if (one.kind === 'put')
        kept.push(`${one.collection}, is unfinished: ${one.options?.isUnfinished}`)
    return store.write(changes)
  }
  const ports = { ...others, store: { ...store, put, write } }
  const id = await keepPending(pending, ports)
  expect(await wasAnswered(id, ports)).toBe(false)
  const taken = await Promise.all([takePending(id, ports), takePending(id, ports)])
  expect(taken.filter((one) => one !== undefined)).toEqual([pending])
  expect(await wasAnswered(id, ports)).toBe(true)
  expect(kept).toEqual([
    'transaction, is unfinished: true',
    ...Array(2).fill('answered, is unfinished: undefined'),
  ])
})

test('A pending request is gone after an hour', async () => {
  const ports = start()
  const late = await keepPending(pending, ports)
  ports.moveTo(NOON + ANOTHER_HOUR)
  expect(await takePending(late, ports)).toBeUndefined()
  expect(await wasAnswered(late, ports)).toBe(false)
})

test('A pending request whose record is damaged is refused by the name of its member', async () => {
  const ports = start()
  const damaged = { ...pending, transaction: { ...pending.transaction, mode: 'post' } }
  await ports.store.put('transaction', 'a', damaged, NOON + 1)
  await expect(async () => peekPending('a', ports)).rejects.toThrow(
    /^store: a transaction record is damaged at transaction.mode: /,
  )
})
