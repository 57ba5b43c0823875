import { expect, test } from 'vitest'
import { changeReadings, parseReadings, problemsOf } from '../../../src/sandbox/readings/parse-readings.ts'

test('Readings as text are a mapping of names to variants, with blanks around them ignored', () => {
  const expected = { readings: { par_status: '200', typ: 'absent' } }
  expect(parseReadings(['par_status=200', ' typ = absent '])).toEqual(expected)
})

const UNKNOWN =
  'there is no reading "par_statsu". Did you mean "par_status"? The command "agekey-sandbox readings" lists all.'
const NO_VARIANT = 'error_body has no variant "plian"; it has findings, plain, empty, text. Did you mean "plain"?'
const EXCLUSIVE = 'discovery=minimal and unknown_members=everywhere exclude each other; drop one of the two'

test.each([
  [['par_statsu=200'], UNKNOWN],
  [['error_body=plian'], NO_VARIANT],
  [['par_status'], '"par_status" names no variant; write par_status=201 or par_status=200'],
  [['par_status=200', 'par_status=201'], 'par_status=200 and par_status=201 exclude each other; drop one of the two'],
  [['discovery=minimal', 'unknown_members=everywhere'], EXCLUSIVE],
  [['unknown_members=everywhere', 'discovery=minimal'], EXCLUSIVE],
])('The readings %j are refused with what is wrong and what there is: %s', (texts, problem) => {
  expect(parseReadings(texts)).toEqual({ problem })
})

test('A reading is taken back by null, and of several readings the wrong one is named', () => {
  const changed = changeReadings({ par_status: '200', typ: 'absent' }, { typ: null, nbf: 'present' })
  expect(changed).toEqual({ par_status: '200', nbf: 'present' })
  expect(problemsOf({ nbf: 'present', typ: 'jwt' }).map(({ reading }) => reading)).toEqual(['typ'])
})
