import { expect, test } from 'vitest'
import type { AgeSignal } from '../../src/age/signal-schema.ts'
import { ageSignal } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox({ certifications: { '/veratad/roc': { id_doc_scan: 'effective' } } })
const evaluate = (body: object) => sandbox.request.post('/_sandbox/evaluate').send(body)

test('evaluate gives booleans and a trace for signals at any instant, no to all without an age key, and records no flow', async () => {
  await sandbox.clock.set('2041-01-01')
  const signal = { method: 'id_doc_scan', verified_at: '2040-01-01', provenance: '/veratad/roc' } as const
  const signals: AgeSignal[] = [{ ...signal, age: { years: 17 } }]
  const claims = { age_thresholds: [16, 18], allowed_methods: ['id_doc_scan' as const] }
  expect(await sandbox.evaluate({ claims, signals, now: '2040-06-01' })).toMatchObject({
    age_thresholds: { 16: true, 18: false },
    trace: [
      { threshold: 16, satisfied: true, signals: [{ method: 'id_doc_scan', passed: true }] },
      { threshold: 18, satisfied: false, signals: [{ passed: false, checks: expect.any(Array) }] },
    ],
  })
  expect((await sandbox.evaluate({ claims, persona: 'no-age-key' })).age_thresholds).toEqual({ 16: false, 18: false })
  expect(await sandbox.flows.list()).toEqual([])
})

const asPersona = ({ type: _type, verification_id: _id, ...signal }: Record<string, unknown>) => signal

test.each([
  ['of what the config certifies, as in a flow', ageSignal(), true],
  ['of nothing that the config certifies', ageSignal({ provenance: '/yoti' }), false],
  ['of a level, which wins over the config', ageSignal({ iso_27566_1: 'basic' }), false],
  ['of a persona, which has no level but its own', asPersona(ageSignal()), false],
  ['of a persona with a level', asPersona(ageSignal({ iso_27566_1: 'strict' })), true],
])('evaluate for an effective verification by a signal %s', async (_which, signal, isEffective) => {
  const claims = { age_thresholds: [18], iso_27566_1: 'effective' }
  expect((await evaluate({ claims, signals: [signal] })).body).toMatchObject({ age_thresholds: { 18: isEffective } })
})

test('evaluate names the rule of a mistake in the claims', async () => {
  const { body } = await evaluate({ claims: { age_thresholds: [200] }, persona: 'teen-16' })
  const findings = [{ rule: 'CLM-03', level: 'error', path: 'claims.age_thresholds[0]' }]
  expect(body).toMatchObject({ error: 'invalid_request', findings })
})

test('evaluate refuses to explain more than anybody reads, before it works', async () => {
  const signals = Array.from({ length: 50 }, (_, n) => asPersona(ageSignal({ verification_id: `v${n}` })))
  const thresholds = (count: number) => Array.from({ length: count }, (_, n) => n + 1)
  const { body } = await evaluate({ claims: { age_thresholds: thresholds(31) }, signals }).expect(400)
  expect(body.error_description).toContain('thresholds times signals are 1550, and at most 1500')
  await evaluate({ claims: { age_thresholds: thresholds(30) }, signals }).expect(200)
})
