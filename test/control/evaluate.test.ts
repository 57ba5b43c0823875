import { expect, test } from 'vitest'
import { readError } from '../support/error-body.ts'
import { ageSignal } from '../support/requests.ts'
import { startSandbox, type TestSandbox } from '../support/sandbox.ts'

const certifications = { '/veratad/roc': { id_doc_scan: 'effective' } } as const

const evaluate = (sandbox: TestSandbox, body: Readonly<Record<string, unknown>>) =>
  sandbox.request.post('/_sandbox/evaluate').set('Content-Type', 'application/json').send(JSON.stringify(body))

/** Whether `signal` is enough when the request asks for an effective verification. */
async function isEffective(signal: Readonly<Record<string, unknown>>): Promise<unknown> {
  const sandbox = await startSandbox({ certifications })
  const claims = { age_thresholds: [18], iso_27566_1: 'effective' }
  return (await evaluate(sandbox, { claims, signals: [signal] })).body
}

const asPersona = ({ type: _type, verification_id: _id, ...signal }: Record<string, unknown>) => signal
const yes = expect.objectContaining({ age_thresholds: { 18: true } })
const no = expect.objectContaining({ age_thresholds: { 18: false } })

test('a signal as it is submitted has the level that the config certifies, as in a flow', async () => {
  expect(await isEffective(ageSignal())).toEqual(yes)
  expect(await isEffective(ageSignal({ provenance: '/yoti' }))).toEqual(no)
})

test('the level of a signal wins over the level of the config', async () => {
  expect(await isEffective(ageSignal({ iso_27566_1: 'basic' }))).toEqual(no)
})

test('a signal of a persona has no level but its own', async () => {
  expect(await isEffective(asPersona(ageSignal()))).toEqual(no)
  expect(await isEffective(asPersona(ageSignal({ iso_27566_1: 'strict' })))).toEqual(yes)
})

test('missing claims are reported as missing', async () => {
  const answer = await evaluate(await startSandbox(), { persona: 'teen-16' })
  expect(answer.status).toBe(400)
  expect(readError(answer).error_description).toBe('claims: is missing')
})
