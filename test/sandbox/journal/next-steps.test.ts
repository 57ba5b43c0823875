import { expect, test } from 'vitest'
import type { CallRecord } from '../../../src/sandbox/journal/call-record.ts'
import type { Flow } from '../../../src/sandbox/journal/journal.ts'
import { nextSteps } from '../../../src/sandbox/journal/next-steps.ts'
import { callbackWith, recordedCall } from '../../support/journal-entries.ts'

const LIFETIMES = { requestUri: 90, code: 60, idToken: 600, accessToken: 10_800 }

const call = (endpoint: string, status: number) => recordedCall({ endpoint, status })

const answered = (endpoint: string, params: Readonly<Record<string, string>>) =>
  recordedCall({ endpoint, response: callbackWith(params) })

function stepsOf(last: CallRecord, flow: Flow['flow'] = 'use', seconds = 0): string {
  return stepsAfter([last], flow, seconds)
}

function stepsAfter(
  calls: readonly [...CallRecord[], CallRecord],
  flow: Flow['flow'],
  seconds = 0,
) {
  const [last] = calls.slice(-1)
  if (!last) throw new Error('a flow has a call')
  const listed = { id: 'f1', tenant: 'default', flow, started_at: last.at, calls }
  return nextSteps(listed, {
    lifetimes: LIFETIMES,
    now: Date.parse(last.at) + seconds * 1000,
  }).join(' ')
}

const ID_TOKEN = { id_token: 'a.b.c' }

test.each<[string, CallRecord, string, Flow['flow']?]>([
  ['no response', call('E4', 0), 'Repeat the call once'],
  ['an upgrade', call('E5', 200), 'Start a Use flow again'],
  ['a refused upgrade', call('E5', 400), 'Correct the call by its findings'],
  ['a token', call('E4', 200), 'within 10800 seconds'],
  ['a refused token call', call('E4', 400), 'a code works once'],
  ['a pushed request', call('E2', 201), 'within 90 seconds'],
  ['a refused push', call('E2', 400), 'push it again'],
  ['an error page', call('E1', 400), 'Nothing came back to the app'],
  ['a page that waits', call('E1', 200), 'the user has not come back yet'],
  [
    'an error in the callback',
    answered('choice', { error: 'access_denied' }),
    'There is no result',
  ],
  ['an answer', answered('E1', ID_TOKEN), 'validate the id_token'],
  [
    'an answer with a code',
    answered('E1', { ...ID_TOKEN, code: 'x' }),
    'exchange the code at E4 within 60 seconds',
  ],
  ['a wish to create', answered('E1', { create_requested: 'true' }), 'push a Create request'],
  ['a Create callback without error', answered('choice', { state: 'x' }), 'is a success', 'create'],
])('The next steps say after %s what a correct client does', (_what, last, step, flow) => {
  expect(stepsOf(last, flow)).toContain(step)
})

test('The next steps of an expired request say that the flow begins again', () => {
  expect(stepsOf(call('E1', 200), 'use', 3599)).toContain('Wait: ')
  expect(stepsOf(call('E1', 200), 'use', 3600)).toBe(
    'The request has expired: the user did not answer within 3600 seconds. Begin the flow again.',
  )
})

test('The next steps say of a request_uri that no browser brought in time that the request is pushed again', () => {
  const after = (seconds: number) => stepsOf(call('E2', 201), 'create', seconds)
  expect(after(89)).toContain('within 90 seconds')
  expect(after(90)).toBe('The request_uri has expired after 90 seconds: push the request again.')
})

test('The next steps of an answer that has come are the same however late it is read', () => {
  const answer = answered('E1', ID_TOKEN)
  expect(stepsOf(answer, 'use', 100_000)).toBe(stepsOf(answer))
})

const REFUSED = recordedCall({
  endpoint: 'E3',
  response: callbackWith({ error: 'invalid_request', state: 'x' }),
  findings: [
    { rule: 'CRE-04', level: 'error', path: 'scope', message: 'scope is wrong', hint: '' },
  ],
})

test('The next steps speak of the success that follows a refused request', () => {
  const steps = stepsAfter([REFUSED, answered('choice', { state: 'x' })], 'create')
  expect(steps).toContain('is a success')
  expect(steps).not.toContain('Correct the request')
})

test('The next steps blame the app for its last request alone', () => {
  const declined = answered('choice', { error: 'access_denied', state: 'x' })
  expect(stepsAfter([REFUSED, declined], 'create')).toContain('There is no result')
  expect(stepsAfter([declined, REFUSED], 'create')).toContain('Correct the request by its findings')
})
