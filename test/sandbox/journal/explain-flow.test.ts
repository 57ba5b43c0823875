import { expect, test } from 'vitest'
import { explainFlow, summarizeFlow } from '../../../src/sandbox/journal/explain-flow.ts'
import type { Flow } from '../../../src/sandbox/journal/journal.ts'
import { explainEvaluation } from '../../../src/service/age/evaluate.ts'
import { callbackWith, listedFlow, recordedCall } from '../../support/journal-entries.ts'

const finding = { level: 'error', path: 'nonce', hint: 'Send one.' } as const
const missing = { ...finding, rule: 'USE-08', message: 'nonce is missing or has no value' } as const
const unknown = { ...finding, rule: 'CLM-01', message: 'claims has no member "foo"' } as const
const advice = { ...missing, level: 'advice' } as const
const teen = {
  persona: 'teen-16',
  outcome: 'verified',
  age_thresholds: { 13: true, 16: true, 18: false },
} as const
const use = recordedCall({ response: callbackWith({ id_token: 'a.b.c', code: 'x' }) })
const details = '[{"type":"age_verification","method":"id_doc_scan"}]'
const TEEN = 'teen-16: 13 yes, 16 yes, 18 no'
const SINCE = 'since 2026-06-01 12:00:00Z'
const NONCE = 'USE-08: nonce is missing or has no value'
const TRAPPED = 'the client fetched /_sandbox/trap/1, an address that it must not follow'
const invalidClient = { error: 'invalid_client', error_description: 'the secret is wrong' }
const refusedToken = recordedCall({
  endpoint: 'E4',
  status: 401,
  response: { kind: 'json', value: invalidClient },
})
const dropped = recordedCall({ status: 0, response: { kind: 'dropped' } })
const failed = (error: string, error_description: string) =>
  recordedCall({ response: callbackWith({ error, error_description }) })
const wentBack = failed('access_denied', 'the user went back')
const broken = failed('server_error', 'out of order')
const trap = recordedCall({ endpoint: 'trap', path: '/_sandbox/trap/1', status: 200 })
const page = recordedCall({ status: 200, response: { kind: 'page', title: 'Use' } })
const pushed = recordedCall({
  endpoint: 'E2',
  status: 201,
  parameters: { authorization_details: details },
})
const upgrade = recordedCall({
  endpoint: 'E5',
  status: 200,
  parameters: { authorization_details: details },
})
const exchange = recordedCall({ endpoint: 'E4', status: 200 })
const sentAgain = recordedCall({ endpoint: 'choice', status: 410 })
const create = { flow: 'create', outcome: 'created' } as const
const newcomer = { persona: 'no-age-key' } as const
const FORGED = 'forced: callback.error_with_wrong_state, a correct client refuses it'
const FORCED = 'forced: id_token.expired, a correct client refuses it'
const PUSHED = 'pushed: waits for the browser at E3'
const WISH = 'create_requested, an age key is to be created'
const CLOSED = 'the user closed the window: no callback followed'
const twoErrors = recordedCall({
  findings: [advice, missing, unknown],
  response: callbackWith({ error: 'x' }),
})
const stopped = { ...missing, message: `${missing.message}.` }
const twoSentences = recordedCall({
  findings: [stopped, unknown],
  response: callbackWith({ error: 'x' }),
})
const closed = recordedCall({ status: 200 })

test.each<[what: string, flow: Partial<Flow>, told: string]>([
  [
    'a refused request by its first broken rule',
    { calls: [twoErrors] },
    `error: ${NONCE} (and 1 more)`,
  ],
  [
    'a broken rule that ends with a full stop',
    { calls: [twoSentences] },
    `error: ${NONCE} (and 1 more)`,
  ],
  [
    'a refused call without a rule',
    { calls: [use, refusedToken] },
    'error: E4 refused with 401: the secret is wrong',
  ],
  [
    'a dropped connection',
    { calls: [dropped] },
    'error: E1 got no response: the connection was closed',
  ],
  [
    'a decline of the user',
    { outcome: 'access_denied', calls: [wentBack] },
    'declined: the user went back',
  ],
  [
    'a decline with a refused call',
    { calls: [refusedToken, wentBack] },
    'error: E4 refused with 401: the secret is wrong',
  ],
  [
    'a forced decline',
    { outcome: 'callback.error_with_wrong_state', calls: [wentBack] },
    `error: ${FORGED}`,
  ],
  ['an error', { outcome: 'server_error', calls: [broken] }, 'error: server_error: out of order'],
  ['a trap that the client has fetched', { calls: [use, trap] }, `error: ${TRAPPED}`],
  ['a forced answer', { ...teen, outcome: 'id_token.expired' }, `ok: ${FORCED}`],
  [
    'the time of a page',
    { ended_at: undefined, calls: [page] },
    `waiting: waits for the user ${SINCE}`,
  ],
  [
    'the time of a push',
    { ...create, ended_at: undefined, calls: [pushed] },
    `waiting: ${PUSHED} ${SINCE}`,
  ],
  ['each answer', teen, `ok: ${TEEN}`],
  ['a code beside the answers', { ...teen, calls: [use] }, `ok: ${TEEN}, and a code to upgrade`],
  [
    'an exchanged code',
    { ...teen, calls: [use, exchange] },
    `ok: ${TEEN}; the code was exchanged, no upgrade yet`,
  ],
  [
    'an upgrade with its methods',
    { ...teen, calls: [use, upgrade] },
    `ok: ${TEEN}; upgraded: id_doc_scan`,
  ],
  ['a wish to create', { ...newcomer, outcome: 'create_requested' }, `ok: no-age-key: ${WISH}`],
  [
    'a saved age key',
    { ...create, ...newcomer, calls: [pushed] },
    'ok: saved for no-age-key: id_doc_scan',
  ],
  [
    'an age key of a new persona',
    { ...create, persona: 'mia-keller-3f', outcome: 'created_new' },
    'ok: saved for mia-keller-3f, a new persona',
  ],
  [
    'a key that an audit does not save',
    { ...create, ...newcomer, audit: true },
    'ok: an audit saves no age key',
  ],
  ['a closed window', { outcome: 'no_answer', calls: [closed] }, `declined: ${CLOSED}`],
  [
    'a form that was sent twice',
    { ...teen, calls: [use, sentAgain] },
    `ok: ${TEEN}, and a code to upgrade`,
  ],
])('A summary tells %s', (_, flow, told) => {
  const { status, summary } = summarizeFlow(listedFlow(flow))
  expect(`${status}: ${summary}`).toBe(told)
})

test('A summary names at most eight ages', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, age) => [age, true]))
  expect(summarizeFlow(listedFlow({ age_thresholds: many })).summary).toMatch(
    /^0 yes, (?:\d yes, ){7}…$/,
  )
})

const age = { years: 16 }
const scan = {
  method: 'id_doc_scan',
  age,
  verified_at: '2026-05-01',
  provenance: '/veriff',
  attributes: {},
} as const
const trace = explainEvaluation([scan], { age_thresholds: [13, 16, 18] }, Date.parse('2026-06-01'))

test('An explanation has a line for each group of thresholds', () => {
  expect(
    explainFlow(listedFlow({ ...teen, trace, decided_by: 'expectation e3 (now used up)' })),
  ).toMatchObject({
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
  expect(explained).toMatchObject({ summary: NONCE, reasons: [] })
})
