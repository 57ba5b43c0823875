import { expect, test } from 'vitest'
import { personaSchema } from '../../../src/sandbox/personas/persona-schema.ts'
import { parseClaims } from '../../../src/service/age/claims.ts'
import { methodSynonym } from '../../../src/service/age/method-synonyms.ts'
import { METHOD_NAMES, type Method } from '../../../src/service/age/methods.ts'
import { parseAgeSignals, parseEvaluationSignals } from '../../../src/service/age/signal.ts'
import { checkAgainst, problemLines } from '../../../src/service/text/schema-problems.ts'
import { SIGNAL_CONTEXT, SIGNALS } from './cases.ts'

const CALLED: Readonly<Record<Method, string>> = {
  email_age_estimation: 'email email_age email_check e-mail emailAddress',
  facial_age_estimation:
    'selfie face_scan face_estimation facial_scan SelfieCheck FACE liveness-check biometrics',
  national_id_number: 'ssn SSN social_security_number national_id id_number cpf tax-id',
  digital_credential:
    'mdl mDL wallet digital_id eudi eudi-wallet mobile_drivers_license verifiableCredential eID',
  id_doc_scan:
    "id_scan document passport passport_scan driving_licence driver's_license DriversLicense photo_id",
  payment_card_network:
    'credit_card debit_card card creditCard CREDIT-CARD credit_card_check payment bank_card',
}

test.each(
  METHOD_NAMES.flatMap((method) =>
    CALLED[method].split(' ').map((word) => [word, method] as const),
  ),
)('What other services call %s is %s here', (word, method) => {
  expect(methodSynonym(word)).toBe(`: ${word} is ${method} here`)
})

test('A synonym of several words is quoted', () => {
  expect(methodSynonym('Credit Card')).toBe(': "Credit Card" is payment_card_network here')
})

test.each([
  ...METHOD_NAMES,
  ...['idDocScan', 'ID_DOC_SCAN', 'id-doc-scan', 'FacialAgeEstimation'],
  ...[
    'bankid',
    'kyc',
    'age_verification',
    'scan',
    '',
    '-',
    'constructor',
    `credit_card${'_scan'.repeat(20)}`,
  ],
])('The word %j is no synonym of a method', (word) => {
  expect(methodSynonym(word)).toBe('')
})

const ALL = METHOD_NAMES.join(', ')
const IS_CARD = `must be one of ${ALL}, is "credit_card": credit_card is payment_card_network here`
const [email] = Object.values(SIGNALS)
const submitted = { ...email, method: 'credit_card' }
const {
  type: _type,
  verification_id: _id,
  ...ofPersona
} = { ...submitted, type: '', verification_id: '' }

test('A synonym in allowed_methods is named', () => {
  const { issues } = parseClaims({
    age_thresholds: [18],
    allowed_methods: ['id_doc_scan', 'credit_card'],
  })
  expect(issues.map(({ message }) => message)).toEqual([`claims.allowed_methods[1] ${IS_CARD}`])
})

test('A synonym as the name of an override is named', () => {
  const { issues } = parseClaims({ age_thresholds: [18], overrides: { selfie: { min_age: 21 } } })
  const message = `claims.overrides has no member "selfie": selfie is facial_age_estimation here. Methods: ${ALL}.`
  expect(issues).toEqual([{ rule: 'CLM-14', path: ['overrides', 'selfie'], message }])
})

test('A synonym as the method of a submitted signal is named', () => {
  const { issues } = parseAgeSignals([submitted], SIGNAL_CONTEXT)
  const message = `authorization_details[0].method ${IS_CARD}`
  expect(issues).toEqual([{ rule: 'SIG-11', path: [0, 'method'], message }])
})

test('A synonym as the method of an evaluated signal is named', () => {
  const { issues } = parseEvaluationSignals([ofPersona])
  expect(issues).toEqual([
    { rule: 'SIG-11', path: [0, 'method'], message: `signals[0].method ${IS_CARD}` },
  ])
})

test('A synonym as the method of a persona is named', () => {
  const persona = {
    name: 'mine',
    title: 'Mine',
    purpose: 'A test.',
    age_key: { signals: [ofPersona] },
  }
  const checked = checkAgainst(personaSchema, persona)
  expect(checked.kind === 'invalid' && problemLines(checked, 'persona')).toEqual([
    `age_key.signals[0].method: ${IS_CARD}`,
  ])
})
