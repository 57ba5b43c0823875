import { expect, test } from 'vitest'
import { compareFlows } from '../../../../src/console/flows/compare/compare-flows.ts'
import { type Compared, compareMembers } from '../../../../src/console/flows/compare/compare-members.ts'
import { callbackWith, listedFlow, recordedCall } from '../../../support/journal-entries.ts'

const differing = (members: readonly Compared[]) =>
  members.flatMap(({ name, a, b, kind }) => (kind === 'differs' ? [`${name}: ${a} | ${b}`] : []))
const namesOf = (members: readonly Compared[], kind: Compared['kind']) =>
  members.flatMap((member) => (member.kind === kind ? [member.name] : []))

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

test('Values of two flows are compared member by member, also in JSON that is sent as text', () => {
  const denied = { denied: ['/a'] }
  const of = (claims: unknown, years: number) => ({ claims, scope: 'openid', details: [{ age: { years } }] })
  const a = of(JSON.stringify({ age_thresholds: [18], provenance: denied }), 1)
  const b = of({ age_thresholds: [18, 21], provenance: denied }, 2)
  const compared = compareMembers(a, b)
  expect(differing(compared)).toEqual(['claims.age_thresholds: [18] | [18,21]', 'details[0].age.years: 1 | 2'])
  expect(namesOf(compared, 'same')).toEqual(['claims.provenance.denied', 'scope'])
})

test('Values of two flows are no difference when they are another one in every flow, unless one is missing or empty', () => {
  const compared = compareMembers(
    { 'sent: state': 'x', nonce: 'n', 'payload.sub': 's', code: '' },
    { 'sent: state': 'y', 'payload.sub': 't', code: 'c' },
  )
  expect(namesOf(compared, 'random')).toEqual(['sent: state', 'payload.sub'])
  expect(differing(compared)).toEqual(['nonce: n | undefined', 'code:  | c'])
})

test('Values of two flows are not told apart by the flow that a description names', () => {
  const of = (id: string) => ({ error_description: `nonce is missing (flow ${id}: http://x/${id})` })
  expect(differing(compareMembers(of('f1'), of('f2')))).toEqual([])
})

const use = (claims: Readonly<Record<string, unknown>>, at = '2026-06-01T12:00:00.250Z') =>
  recordedCall({
    at,
    parameters: { nonce: claims['asked'] ?? claims['nonce'], state: 'st', scope: 'openid' },
    response: callbackWith({ id_token: `${encode({ alg: 'RS256' })}.${encode(claims)}.s`, state: 'st' }),
  })
const now = Date.parse('2026-06-01T12:00:00Z') / 1000

test('Two flows that differ in nothing but what is another one in every flow have no difference', () => {
  const one = listedFlow({ id: 'f1', state: 'a', calls: [use({ sub: '1', nonce: 'n', iat: now, exp: now + 600 })] })
  const later = '2026-06-01T13:00:00.250Z'
  const other = listedFlow({
    id: 'f2',
    state: 'b',
    started_at: later,
    calls: [use({ sub: '2', nonce: 'm', iat: now + 3600, exp: now + 4200 }, later)],
  })
  const { facts, idToken, calls } = compareFlows(one, other)
  expect([facts, idToken, ...calls.map(({ members }) => members)].flatMap(differing)).toEqual([])
  expect(namesOf(idToken, 'random')).toEqual(['payload.sub', 'payload.nonce', 'payload.iat', 'payload.exp'])
})

test('Two flows are compared by what random values and times should be', () => {
  const right = listedFlow({ calls: [use({ nonce: 'n', iat: now, exp: now + 600 })] })
  const wrong = listedFlow({ calls: [use({ nonce: 'other', asked: 'mine', iat: now - 4000, exp: now - 3000 })] })
  expect(differing(compareFlows(right, wrong).idToken)).toEqual(
    expect.arrayContaining([
      'nonce of the request: repeated | not repeated',
      'exp minus iat, in seconds: 600 | 1000',
      'iat, beside the time of the answer: the same | 4000 seconds before',
    ]),
  )
})

test('Two flows have their calls side by side by endpoint, and those of one alone where they were made', () => {
  const call = (endpoint: string, status = 200) => recordedCall({ endpoint, status })
  const a = listedFlow({ calls: [call('E1'), call('E4', 400), call('E4'), call('E5')] })
  const b = listedFlow({ calls: [call('E1'), call('choice'), call('E4'), call('trap')] })
  const { calls } = compareFlows(a, b)
  const seen = calls.map(({ endpoint, in: found }) => `${endpoint} ${found}`)
  expect(seen).toEqual(['E1 both', 'choice b', 'E4 both', 'trap b', 'E4 a', 'E5 a'])
  expect(differing(calls[2]?.members ?? [])).toEqual(['status: 400 | 200'])
})

test('Two flows differ in persona, outcome, answers and reasons', () => {
  const of = (persona: string, has: number) => {
    const passed = has >= 18
    const checks = [{ filter: 'age' as const, passed, reason: `has ${has}` }]
    const signals = [{ method: 'id_doc_scan' as const, passed, checks }]
    const trace = [{ threshold: 18, satisfied: passed, signals }]
    return listedFlow({ persona, age_thresholds: { 18: passed }, trace })
  }
  const { facts, reasons } = compareFlows(of('adult-passport', 30), of('teen-16', 16))
  expect(differing(facts)).toEqual([
    'what happened: adult-passport: 18 yes | teen-16: 18 no. 18: id_doc_scan has 16',
    'persona: adult-passport | teen-16',
    'age_thresholds.18: true | false',
  ])
  expect(differing(reasons)).toEqual(['age 18: yes. id_doc_scan: has 30 | no. id_doc_scan: has 16'])
})
