import { expect, test } from 'vitest'
import { changeReadings, parseReadings, problemsOf } from '../../../src/sandbox/readings/parse-readings.ts'

test('Readings as text are a mapping of names to variants, with blanks around them ignored', () => {
  const expected = { readings: { error_body: 'plain', typ: 'absent' } }
  expect(parseReadings(['error_body=plain', ' typ = absent '])).toEqual(expected)
})

const UNKNOWN =
  'there is no reading "error_bdy". Did you mean "error_body"? "agekey-sandbox explain readings" lists all.'
const NO_VARIANT = 'error_body has no variant "plian"; it has findings, plain. Did you mean "plain"?'
const EXCLUSIVE = 'discovery=minimal and unknown_members=everywhere exclude each other; drop one of the two'

test.each([
  [['error_bdy=200'], UNKNOWN],
  [['error_body=plian'], NO_VARIANT],
  [['error_body'], '"error_body" names no variant; write error_body=findings or error_body=plain'],
  [
    ['error_body=plain', 'error_body=findings'],
    'error_body=plain and error_body=findings exclude each other; drop one of the two',
  ],
  [['discovery=minimal', 'unknown_members=everywhere'], EXCLUSIVE],
  [['unknown_members=everywhere', 'discovery=minimal'], EXCLUSIVE],
])('The readings %j are refused with what is wrong and what there is: %s', (texts, problem) => {
  expect(parseReadings(texts)).toEqual({ problem })
})

test('A reading is taken back by null, and of several readings the wrong one is named', () => {
  const changed = changeReadings({ error_body: 'plain', typ: 'absent' }, { typ: null, nbf: 'present' })
  expect(changed).toEqual({ error_body: 'plain', nbf: 'present' })
  expect(problemsOf({ nbf: 'present', typ: 'jwt' }).map(({ reading }) => reading)).toEqual(['typ'])
})
