import { expect, test } from 'vitest'
import { changeReadings, parseReadings, problemsOf } from '../../../src/sandbox/readings/parse-readings.ts'

test('Readings as text are a mapping of names to variants, with blanks around them ignored', () => {
  const expected = { readings: { par_status: '200', typ: 'absent' } }
  expect(parseReadings(['par_status=200', ' typ = absent '])).toEqual(expected)
})

const EXCLUSIVE = 'discovery=minimal and unknown_members=everywhere exclude each other; drop one of the two'

test.each([
  [
    ['par_statsu=200'],
    'there is no reading "par_statsu". Did you mean "par_status"? The command "agekey-sandbox readings" lists all.',
  ],
  [
    ['error_body=plian'],
    'error_body has no variant "plian"; it has findings, plain, empty, text. Did you mean "plain"?',
  ],
  [['par_status'], '"par_status" names no variant; write par_status=201 or par_status=200'],
  [['par_status=200', 'par_status=201'], 'par_status=200 and par_status=201 exclude each other; drop one of the two'],
  [['discovery=minimal', 'unknown_members=everywhere'], EXCLUSIVE],
  [['unknown_members=everywhere', 'discovery=minimal'], EXCLUSIVE],
])('The readings %j are refused with what is wrong and what there is: %s', (texts, problem) => {
  expect(parseReadings(texts)).toEqual({ problem })
})

test('A reading is taken back by null', () => {
  const changed = changeReadings({ par_status: '200', typ: 'absent' }, { typ: null, nbf: 'present' })
  expect(changed).toEqual({ par_status: '200', nbf: 'present' })
})

test('Of several readings the wrong one is named', () => {
  expect(problemsOf({ nbf: 'present', typ: 'jwt' }).map(({ reading }) => reading)).toEqual(['typ'])
})
