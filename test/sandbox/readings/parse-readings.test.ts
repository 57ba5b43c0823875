import { describe, expect, test } from 'vitest'
import { changeReadings, parseReadings, problemsOf } from '../../../src/sandbox/readings/parse-readings.ts'

const problem = (...texts: readonly string[]) => {
  const parsed = parseReadings(texts)
  return 'problem' in parsed ? parsed.problem : undefined
}

describe('Readings as text', () => {
  test('are a mapping of names to variants, with blanks around them ignored', () => {
    const expected = { readings: { par_status: '200', typ: 'absent' } }
    expect(parseReadings(['par_status=200', ' typ = absent '])).toEqual(expected)
  })

  test('name the nearest reading when there is none of a name', () => {
    expect(problem('par_statsu=200')).toBe(
      'there is no reading "par_statsu". Did you mean "par_status"? The command "agekey-sandbox readings" lists all.',
    )
  })

  test('name the variants, and the nearest, when there is none of a name', () => {
    expect(problem('error_body=plian')).toBe(
      'error_body has no variant "plian"; it has findings, plain, empty, text. Did you mean "plain"?',
    )
  })

  test('show how a variant is written when there is none', () => {
    expect(problem('par_status')).toBe('"par_status" names no variant; write par_status=201 or par_status=200')
  })

  test('refuse two variants of one reading, and name both', () => {
    expect(problem('par_status=200', 'par_status=201')).toBe(
      'par_status=200 and par_status=201 exclude each other; drop one of the two',
    )
  })

  test('refuse two readings that exclude each other, in any order, and name both', () => {
    const message = 'discovery=minimal and unknown_members=everywhere exclude each other; drop one of the two'
    expect(problem('discovery=minimal', 'unknown_members=everywhere')).toBe(message)
    expect(problem('unknown_members=everywhere', 'discovery=minimal')).toBe(message)
  })

  test('are taken back by null', () => {
    expect(changeReadings({ par_status: '200', typ: 'absent' }, { typ: null, nbf: 'present' })).toEqual({
      par_status: '200',
      nbf: 'present',
    })
  })

  test('say which of them is wrong', () => {
    expect(problemsOf({ nbf: 'present', typ: 'jwt' }).map(({ reading }) => reading)).toEqual(['typ'])
  })
})
