import { expect, test } from 'vitest'
import type { CreateSession } from '../../src/demo/sessions.ts'
import { answersOf, offerOf, verdictOf } from '../../src/demo/verdict.ts'
import { check, exchange, useSession as use } from './sessions.ts'

const callback = (params: Readonly<Record<string, string>>, answers?: Readonly<Record<string, boolean>>) => ({
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

const untrusted = {
  params: { code: 'c' },
  checks: [check(true), check(false)],
  claims: { age_thresholds: { 18: true } },
  reads: [],
}

/** Every check of the callback passed, and a key set came that cannot be used. */
const unreadable = { ...callback({ code: 'c' }, { 18: true }), reads: [exchange(503)] }

test.each([
  ['without a callback', use(), 'The visitor has not come back'],
  ['of a refused push', create(), 'The Create request was refused'],
  ['of a failed check', use(untrusted), 'The shop does not trust this callback'],
  ['of a key set that cannot be used', use(unreadable), 'The shop does not trust this callback'],
  [
    'of an error beside an id_token',
    use(callback({ error: 'access_denied', id_token: 'a.b.c' }, { 18: true })),
    'The shop does not trust this callback',
  ],
  ['of an empty error', use(callback({ error: '' })), 'The shop does not trust this callback'],
  ['of an error', use(callback({ error: 'access_denied' })), 'Came back with access_denied'],
  ['of a saved age key', create({ request: {}, callback: callback({ state: 's' }) }), 'The age key is saved'],
  ['of create_requested', use(callback({ create_requested: 'true' })), 'The visitor wants an age key first'],
  ['of an empty callback', use(callback({})), 'No id_token came'],
  ['of a reached age', use(callback({}, { 18: true })), 'Verified'],
  ['of a refused code', use(callback({ code: 'c' }, { 18: false }), [400]), 'The upgrade was refused'],
  ['of a refused age signal', use(callback({ code: 'c' }, { 18: false }), [200, 422]), 'The upgrade was refused'],
  ['of an upgrade', use(callback({ code: 'c' }, { 18: false }), [200, 200]), 'The age key is upgraded'],
])('The verdict of the demo %s', (_case, session, title) => {
  expect(verdictOf(session).title).toBe(title)
})

test('The verdict of the demo says when the visitor reaches none of the ages', () => {
  expect(verdictOf(use(callback({}, { 13: false, 18: false }))).sentence).toContain('reaches none of these ages')
})

test('The answers of the demo are those of the id_token', () => {
  expect(answersOf(callback({}, { 13: true, 18: false }))).toEqual({ 13: true, 18: false })
})

test.each([
  ['a check failed', untrusted],
  ['the key set cannot be used', unreadable],
  ['no callback came', undefined],
  ['age_thresholds is no object of booleans', { ...callback({}), claims: { age_thresholds: { 18: 'yes' } } }],
])('The answers of the demo are empty when %s', (_case, result) => {
  expect(answersOf(result)).toEqual({})
})

test.each([
  ['an upgrade, after a code', use(callback({ code: 'c' }, { 18: false })), 'upgrade'],
  ['nothing, when the code is exchanged', use(callback({ code: 'c' }, { 18: false }), [200, 200]), undefined],
  ['Create, after create_requested', use(callback({ create_requested: 'true' })), 'create'],
  ['nothing, when a check failed', use(untrusted), undefined],
  ['nothing, when the key set cannot be used', use(unreadable), undefined],
  ['nothing, after Create', create({ request: {}, callback: callback({ state: 's' }) }), undefined],
])('The offer of the demo is %s', (_case, session, offer) => {
  expect(offerOf(session)).toBe(offer)
})
