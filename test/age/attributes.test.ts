import { expect, test } from 'vitest'
import { attributeRequirementSchema, attributesSchema } from '../../src/age/attributes.ts'
import { issuesOf } from '../../src/age/explain.ts'
import type { Method } from '../../src/age/methods.ts'

const COUNTRY = 'must be an assigned ISO 3166-1 alpha-2 code in capitals, such as US or GB'
const CARD = 'must be one of credit, debit, unknown'
const WALLET = 'must be an object with platform, issuing_country'

const MISSPELT = `SIG-18 a.card_type ${CARD}, is "credti". Did you mean "credit"?`
const NO_NAME = 'SIG-18 a.platform must be the name of a platform, is 1'
const NO_COUNTRY = `SIG-17 a.issuing_country is missing: it ${COUNTRY}`

test.each<[Method, unknown, readonly string[]]>([
  ['email_age_estimation', undefined, []],
  ['email_age_estimation', {}, []],
  ['email_age_estimation', null, ['SIG-16 a must be an object, is null']],
  ['facial_age_estimation', { on_device: false }, []],
  ['facial_age_estimation', { on_device: 1 }, ['SIG-18 a.on_device must be true or false, is 1']],
  ['facial_age_estimation', { x: 1 }, ['SIG-16 a has no member "x". Attributes of facial_age_estimation: on_device.']],
  ['id_doc_scan', {}, []],
  ['id_doc_scan', { issuing_country: 'uk' }, [`SIG-18 a.issuing_country ${COUNTRY}, is "uk"`]],
  ['id_doc_scan', { issuing_country: undefined }, [NO_COUNTRY]],
  ['digital_credential', undefined, [`SIG-17 a is missing: it ${WALLET}`]],
  ['digital_credential', 'x', [`SIG-16 a ${WALLET}, is "x"`]],
  ['digital_credential', { platform: 'any', issuing_country: 'US' }, []],
  ['digital_credential', { platform: 1 }, [NO_NAME, NO_COUNTRY]],
  ['payment_card_network', { card_type: 'credit' }, []],
  ['payment_card_network', { card_type: 'credti' }, [MISSPELT]],
  ['payment_card_network', {}, [`SIG-17 a.card_type is missing: it ${CARD}`]],
])('The attributes of a signal by %s are judged: %j', (method, attributes, expected) => {
  const { error } = attributesSchema(method).safeParse(attributes)
  expect(error ? issuesOf(error, 'a').map(({ rule, message }) => `${rule} ${message}`) : []).toEqual(expected)
})

test.each([
  ['boolean', true, []],
  ['boolean', [true], ['CLM-19 a must be true or false, is an array']],
  ['country', ['US', 'FR'], []],
  ['country', ['USA'], [`CLM-19 a[0] ${COUNTRY}, is "USA"`]],
  ['country', [], ['CLM-19 a must be a non-empty array of accepted values, is empty']],
  ['country', 'US', ['CLM-19 a must be a non-empty array of accepted values, is "US"']],
  ['card_type', ['debit', 'x'], [`CLM-19 a[1] ${CARD}, is "x"`]],
  ['platform', ['any', 1], ['CLM-19 a[1] must be the name of a platform, is 1']],
] as const)('The requirement on an attribute of the kind %s is judged: %j', (kind, requirement, expected) => {
  const { error } = attributeRequirementSchema(kind).safeParse(requirement)
  expect(error ? issuesOf(error, 'a').map(({ rule, message }) => `${rule} ${message}`) : []).toEqual(expected)
})
