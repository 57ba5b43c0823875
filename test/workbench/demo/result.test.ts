import { expect, test } from 'vitest'
import { offerOf, shownAnswers, verdictOf } from '../../../src/workbench/demo/result.ts'
import type { CreateSession, UseSession } from '../../../src/workbench/demo/sessions.ts'
import { check, exchange, useSession as use } from './sessions.ts'

const callback = (
  params: Readonly<Record<string, string>>,
  answers?: Readonly<Record<string, boolean>>,
) => ({
  params,
  checks: [check(true), check(params['error'] === undefined, 'error')],
  reads: [],
  ...(answers ? { claims: { age_thresholds: answers } } : {}),
})

const create = (changes: Partial<CreateSession> = {}): CreateSession => ({
  flow: 'create',
  state: 's',
  exchanges: [exchange(201)],
  ...changes,
})

const doubted = {
  params: { code: 'c' },
  checks: [check(true), check(false)],
  claims: { age_thresholds: { 18: true } },
  reads: [],
}

/** No age is reached, and a code came. */
const coded = callback({ code: 'c' }, { 18: false })

/** Every check of the callback passed, and a key set came that cannot be used. */
const unreadable = { ...callback({ code: 'c' }, { 18: true }), reads: [exchange(503)] }
const UNTRUSTED = 'The shop does not trust this callback'

test.each<[which: string, session: UseSession | CreateSession, title: string, offer?: string]>([
  ['without a callback', use(), 'The visitor has not come back'],
  ['of a refused push', create(), 'The Create request was refused'],
  ['of a failed check', use(doubted), UNTRUSTED],
  ['of a key set that cannot be used', use(unreadable), UNTRUSTED],
  [
    'of an error beside an id_token',
    use(callback({ error: 'x', id_token: 'a.b.c' }, { 18: true })),
    UNTRUSTED,
  ],
  ['of an empty error', use(callback({ error: '' })), UNTRUSTED],
  ['of an error', use(callback({ error: 'access_denied' })), 'Came back with access_denied'],
  [
    'of a saved age key',
    create({ request: {}, callback: callback({ state: 's' }) }),
    'The age key is saved',
  ],
  [
    'of create_requested',
    use(callback({ create_requested: 'true' })),
    'The visitor wants an age key first',
    'create',
  ],
  ['of an empty callback', use(callback({})), 'No id_token came'],
  ['of a reached age', use(callback({}, { 18: true })), 'Verified'],
  ['of a code', use(coded), 'Verified', 'upgrade'],
  ['of a refused code', use(coded, [400]), 'The upgrade was refused'],
  ['of a refused age signal', use(coded, [200, 422]), 'The upgrade was refused'],
  ['of an upgrade', use(coded, [200, 200]), 'The age key is upgraded'],
])('The verdict of the demo %s offers what is possible next', (_case, session, title, offer) => {
  expect(verdictOf(session).title).toEqual(title)
  expect(offerOf(session)).toEqual(offer)
})

test('The verdict of the demo says when the visitor reaches none of the ages', () => {
  expect(verdictOf(use(callback({}, { 13: false, 18: false }))).sentence).toContain(
    'reaches none of these ages',
  )
})

test('The answers of the demo are those of the id_token', () => {
  expect(shownAnswers(callback({}, { 13: true, 18: false }))).toEqual({ 13: true, 18: false })
})

test.each([
  ['a check failed', doubted],
  ['the key set cannot be used', unreadable],
  ['no callback came', undefined],
  [
    'age_thresholds is no object of booleans',
    { ...callback({}), claims: { age_thresholds: { 18: 'yes' } } },
  ],
])('The answers of the demo are empty when %s', (_case, result) => {
  expect(shownAnswers(result)).toEqual({})
})
