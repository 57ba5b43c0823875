import { expect, test } from 'vitest'
import { describeReading, READINGS } from '../../../src/sandbox/readings/readings.ts'
import { run } from '../in-process.ts'

test('readings lists each reading with its variants, and a star at the usual one', async () => {
  const { code, stdout } = await run(['readings'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^refused_token_status {2}\S.*\n {2}.*\n {2}\* {2}401 {2,}\S.*\n {5}403 {2,}\S/m)
})

test.each<[word: string, finds: (reading: (typeof READINGS)[number]) => boolean]>([
  ['', () => true],
  ['sub', ({ name }) => name === 'sub'],
  ['base64URL', (reading) => [JSON.stringify(reading.variants), reading.point].some((text) => /base64url/.test(text))],
])('readings --json %s prints the reading of this name, or every reading with this word', async (word, finds) => {
  const { stdout } = await run(['readings', '--json', ...(word === '' ? [] : [word])])
  expect(JSON.parse(stdout)).toEqual({ readings: READINGS.filter(finds).map(describeReading) })
})

test('readings of an unknown name ends with the nearest name and exit code 1', async () => {
  const stderr = expect.stringMatching(
    /^error: no reading has "refused_token_statuss".* Did you mean "refused_token_status"\?\n$/,
  )
  expect(await run(['readings', 'refused_token_statuss'])).toEqual({ code: 1, stdout: '', stderr })
})
