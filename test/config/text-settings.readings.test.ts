import { expect, test } from 'vitest'
import { FLAGS, parseTexts, readEnvironment } from '../../src/config/text-settings.ts'

const parse = (reading: readonly string[]) => parseTexts({ reading }, ({ name }) => `--${name}`)

test('--reading may be given again, and AGEKEY_SANDBOX_READING separates by commas', () => {
  const readings = { par_status: '200', typ: 'absent' }
  expect(parse(['par_status=200', 'typ=absent'])).toEqual({ readings })
  expect(readEnvironment({ AGEKEY_SANDBOX_READING: 'par_status=200,typ=absent' })).toEqual({
    reading: ['par_status=200', 'typ=absent'],
  })
  expect(FLAGS.find(({ key }) => key === 'readings')?.variable).toBe('AGEKEY_SANDBOX_READING')
})

test.each([
  [['par_statsu=200'], '--reading: there is no reading "par_statsu". Did you mean "par_status"?'],
  [['par_status=204'], '--reading: par_status has no variant "204"; it has 201, 200.'],
  [['par_status=200', 'par_status=201'], '--reading: par_status=200 and par_status=201 exclude each other; drop one'],
  [['key_set=one', 'unknown_members=everywhere'], '--reading: key_set=one and unknown_members=everywhere exclude'],
  [['par_status'], '--reading: "par_status" names no variant; write par_status=201 or par_status=200'],
])('--reading %j is refused in one line', (reading, message) => {
  expect(() => parse(reading)).toThrow(message)
})

test.each(['7', 'a seed'])('--grease takes a number or text: %s', (grease) => {
  expect(parseTexts({ grease }, ({ name }) => `--${name}`)).toEqual({ grease })
})
