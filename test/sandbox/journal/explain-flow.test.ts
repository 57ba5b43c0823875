import { describe, expect, test } from 'vitest'
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

const FLOWS: readonly (readonly [string, Partial<Flow>, { status: string; summary: string }])[] = [
  [
    'a refused request by its first broken rule',
    { calls: [recordedCall({ findings: [advice, missing, unknown], response: callbackWith({ error: 'x' }) })] },
    { status: 'error', summary: 'USE-08: nonce is missing or has no value (and 1 more)' },
  ],
  [
    'a call that was refused without a rule by its description',
    {
      calls: [
        use,
        recordedCall({
          endpoint: 'E4',
          status: 401,
          response: { kind: 'json', value: { error: 'invalid_client', error_description: 'the secret is wrong' } },
        }),
      ],
    },
    { status: 'error', summary: 'E4 refused with 401: the secret is wrong' },
  ],
  [
    'a dropped connection',
    { calls: [recordedCall({ status: 0, response: { kind: 'dropped' } })] },
    { status: 'error', summary: 'E1 got no response: the connection was closed' },
  ],
  [
    'an error in the callback, which comes with status 302',
    {
      outcome: 'access_denied',
      calls: [
        recordedCall({ response: callbackWith({ error: 'access_denied', error_description: 'the user went back' }) }),
      ],
    },
    { status: 'error', summary: 'declined: the user went back' },
  ],
  [
    'a trap that the client has fetched',
    { calls: [use, recordedCall({ endpoint: 'trap', path: '/_sandbox/trap/1', status: 200 })] },
    { status: 'error', summary: 'the client fetched /_sandbox/trap/1, an address that it must not follow' },
  ],
  [
    'a forced answer with what a correct client does',
    { ...teen, outcome: 'id_token.expired' },
    { status: 'ok', summary: 'forced: id_token.expired, a correct client refuses it' },
  ],
  [
    'a flow that waits for the user with the time',
    { ended_at: undefined, calls: [recordedCall({ status: 200, response: { kind: 'page', title: 'Use' } })] },
    { status: 'waiting', summary: 'waits for the user since 2026-06-01 12:00:00Z' },
  ],
  [
    'a pushed request that no browser has brought yet',
    { flow: 'create', ended_at: undefined, calls: [recordedCall({ endpoint: 'E2', status: 201 })] },
    { status: 'waiting', summary: 'pushed: waits for the browser at E3 since 2026-06-01 12:00:00Z' },
  ],
  ['each answer', teen, { status: 'ok', summary: 'teen-16: 13 yes, 16 yes, 18 no' }],
  [
    'a code beside the answers',
    { ...teen, calls: [use] },
    { status: 'ok', summary: 'teen-16: 13 yes, 16 yes, 18 no, and a code to upgrade' },
  ],
  [
    'an exchanged code',
    { ...teen, calls: [use, recordedCall({ endpoint: 'E4', status: 200 })] },
    { status: 'ok', summary: 'teen-16: 13 yes, 16 yes, 18 no; the code was exchanged, no upgrade yet' },
  ],
  [
    'an upgrade with the methods that were added',
    {
      ...teen,
      calls: [use, recordedCall({ endpoint: 'E5', status: 200, parameters: { authorization_details: details } })],
    },
    { status: 'ok', summary: 'teen-16: 13 yes, 16 yes, 18 no; upgraded: id_doc_scan' },
  ],
  [
    'a request to create an age key',
    { persona: 'no-age-key', outcome: 'create_requested' },
    { status: 'ok', summary: 'no-age-key: create_requested, an age key is to be created' },
  ],
  [
    'a saved age key with its methods',
    {
      flow: 'create',
      persona: 'no-age-key',
      outcome: 'created',
      calls: [recordedCall({ endpoint: 'E2', status: 201, parameters: { authorization_details: details } })],
    },
    { status: 'ok', summary: 'saved for no-age-key: id_doc_scan' },
  ],
  [
    'an age key that was saved as a new persona',
    { flow: 'create', outcome: 'created_new' },
    { status: 'ok', summary: 'saved as a new persona' },
  ],
  [
    'a closed window',
    { outcome: 'no_answer', calls: [recordedCall({ status: 200 })] },
    { status: 'ok', summary: 'the user closed the window: no callback followed' },
  ],
  [
    'a flow by its answer when its form was sent a second time',
    { ...teen, calls: [use, recordedCall({ endpoint: 'choice', status: 410 })], outcome: 'verified' },
    { status: 'ok', summary: 'teen-16: 13 yes, 16 yes, 18 no, and a code to upgrade' },
  ],
]

test.each(FLOWS)('A summary tells %s', (_, flow, told) => {
  expect(summarizeFlow(listedFlow(flow))).toEqual(told)
})

test('A summary names at most eight ages', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, age) => [age, true]))
  expect(summarizeFlow(listedFlow({ age_thresholds: many })).summary).toMatch(/^0 yes, (?:\d yes, ){7}…$/)
})

describe('An explanation', () => {
  const scan = {
    method: 'id_doc_scan',
    age: { years: 16 },
    verified_at: '2026-05-01',
    provenance: '/veriff',
    attributes: {},
  } as const
  const trace = explainEvaluation([scan], { age_thresholds: [13, 16, 18] }, Date.parse('2026-06-01'))

  test('adds to the answers the reason of the first no', () => {
    const { summary } = explainFlow(listedFlow({ ...teen, trace }))
    expect(summary).toBe('teen-16: 13 yes, 16 yes, 18 no. 18: id_doc_scan needs 18, has 16')
  })

  test('has a line for what decided, and one for each threshold and signal', () => {
    const { reasons } = explainFlow(listedFlow({ ...teen, trace, decided_by: 'expectation e3 (now used up)' }))
    expect(reasons).toEqual([
      'Decided by expectation e3 (now used up).',
      '13, 16: yes. id_doc_scan: needs 16, has 16',
      '18: no. id_doc_scan: needs 18, has 16',
    ])
  })

  test('of a refused request stays with the broken rule', () => {
    const { summary, reasons } = explainFlow(listedFlow({ calls: [recordedCall({ findings: [missing] })] }))
    expect([summary, reasons]).toEqual(['USE-08: nonce is missing or has no value', []])
  })
})
