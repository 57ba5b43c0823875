import { expect, test } from 'vitest'
import { explainEvaluation } from '../../../src/age/evaluate.ts'
import { explainFlow, summarizeFlow } from '../../../src/sandbox/journal/explain-flow.ts'
import type { Flow } from '../../../src/sandbox/journal/journal.ts'
import { callbackWith, listedFlow, recordedCall } from '../../support/listed-flow.ts'

const finding = { level: 'error', path: 'nonce', hint: 'Send one.' } as const
const missing = { ...finding, rule: 'USE-08', message: 'nonce is missing or has no value' } as const
const unknown = { ...finding, rule: 'CLM-01', message: 'claims has no member "foo"' } as const
const advice = { ...missing, level: 'advice' } as const
const teen = { persona: 'teen-16', outcome: 'verified', age_thresholds: { 13: true, 16: true, 18: false } } as const
const use = recordedCall({ response: callbackWith({ id_token: 'a.b.c', code: 'x' }) })
const details = '[{"type":"age_verification","method":"id_doc_scan"}]'

const ok = (summary: string) => ({ status: 'ok', summary })
const error = (summary: string) => ({ status: 'error', summary })
const waiting = (summary: string) => ({ status: 'waiting', summary })
const TEEN = 'teen-16: 13 yes, 16 yes, 18 no'
const SINCE = 'since 2026-06-01 12:00:00Z'

const invalidClient = { error: 'invalid_client', error_description: 'the secret is wrong' }
const refusedToken = recordedCall({ endpoint: 'E4', status: 401, response: { kind: 'json', value: invalidClient } })
const dropped = recordedCall({ status: 0, response: { kind: 'dropped' } })
const wentBack = callbackWith({ error: 'access_denied', error_description: 'the user went back' })
const trap = recordedCall({ endpoint: 'trap', path: '/_sandbox/trap/1', status: 200 })
const page = recordedCall({ status: 200, response: { kind: 'page', title: 'Use' } })
const pushed = recordedCall({ endpoint: 'E2', status: 201, parameters: { authorization_details: details } })
const upgrade = recordedCall({ endpoint: 'E5', status: 200, parameters: { authorization_details: details } })
const exchange = recordedCall({ endpoint: 'E4', status: 200 })
const sentAgain = recordedCall({ endpoint: 'choice', status: 410 })

const FLOWS: readonly (readonly [string, Partial<Flow>, { status: string; summary: string }])[] = [
  [
    'a refused request by its first broken rule',
    { calls: [recordedCall({ findings: [advice, missing, unknown], response: callbackWith({ error: 'x' }) })] },
    error('USE-08: nonce is missing or has no value (and 1 more)'),
  ],
  [
    'a call that was refused without a rule by its description',
    { calls: [use, refusedToken] },
    error('E4 refused with 401: the secret is wrong'),
  ],
  ['a dropped connection', { calls: [dropped] }, error('E1 got no response: the connection was closed')],
  [
    'an error in the callback, which comes with status 302',
    { outcome: 'access_denied', calls: [recordedCall({ response: wentBack })] },
    error('declined: the user went back'),
  ],
  [
    'a trap that the client has fetched',
    { calls: [use, trap] },
    error('the client fetched /_sandbox/trap/1, an address that it must not follow'),
  ],
  [
    'a forced answer with what a correct client does',
    { ...teen, outcome: 'id_token.expired' },
    ok('forced: id_token.expired, a correct client refuses it'),
  ],
  [
    'a flow that waits for the user with the time',
    { ended_at: undefined, calls: [page] },
    waiting(`waits for the user ${SINCE}`),
  ],
  [
    'a pushed request that no browser has brought yet',
    { flow: 'create', ended_at: undefined, calls: [pushed] },
    waiting(`pushed: waits for the browser at E3 ${SINCE}`),
  ],
  ['each answer', teen, ok(TEEN)],
  ['a code beside the answers', { ...teen, calls: [use] }, ok(`${TEEN}, and a code to upgrade`)],
  ['an exchanged code', { ...teen, calls: [use, exchange] }, ok(`${TEEN}; the code was exchanged, no upgrade yet`)],
  ['an upgrade with the added methods', { ...teen, calls: [use, upgrade] }, ok(`${TEEN}; upgraded: id_doc_scan`)],
  [
    'a request to create an age key',
    { persona: 'no-age-key', outcome: 'create_requested' },
    ok('no-age-key: create_requested, an age key is to be created'),
  ],
  [
    'a saved age key with its methods',
    { flow: 'create', persona: 'no-age-key', outcome: 'created', calls: [pushed] },
    ok('saved for no-age-key: id_doc_scan'),
  ],
  ['an age key of a new persona', { flow: 'create', outcome: 'created_new' }, ok('saved as a new persona')],
  [
    'a closed window',
    { outcome: 'no_answer', calls: [recordedCall({ status: 200 })] },
    ok('the user closed the window: no callback followed'),
  ],
  [
    'a flow by its answer when its form was sent a second time',
    { ...teen, calls: [use, sentAgain] },
    ok(`${TEEN}, and a code to upgrade`),
  ],
]

test.each(FLOWS)('A summary tells %s', (_, flow, told) => {
  expect(summarizeFlow(listedFlow(flow))).toEqual(told)
})

test('A summary names at most eight ages', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, age) => [age, true]))
  expect(summarizeFlow(listedFlow({ age_thresholds: many })).summary).toMatch(/^0 yes, (?:\d yes, ){7}…$/)
})

const age = { years: 16 }
const scan = { method: 'id_doc_scan', age, verified_at: '2026-05-01', provenance: '/veriff', attributes: {} } as const
const trace = explainEvaluation([scan], { age_thresholds: [13, 16, 18] }, Date.parse('2026-06-01'))

test('An explanation adds the reason of the first no, and has a line for what decided and for each threshold', () => {
  expect(explainFlow(listedFlow({ ...teen, trace, decided_by: 'expectation e3 (now used up)' }))).toMatchObject({
    summary: `${TEEN}. 18: id_doc_scan needs 18, has 16`,
    reasons: [
      'Decided by expectation e3 (now used up).',
      '13, 16: yes. id_doc_scan: needs 16, has 16',
      '18: no. id_doc_scan: needs 18, has 16',
    ],
  })
})

test('An explanation of a refused request stays with the broken rule', () => {
  const explained = explainFlow(listedFlow({ calls: [recordedCall({ findings: [missing] })] }))
  expect(explained).toMatchObject({ summary: 'USE-08: nonce is missing or has no value', reasons: [] })
})
