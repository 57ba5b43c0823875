import { expect, test } from 'vitest'
import { describeReading, READINGS } from '../../../src/sandbox/readings/readings.ts'
import { run } from '../in-process.ts'

test('explain readings lists each reading with its variants, and a star at the usual one', async () => {
  const { code, stdout } = await run(['explain', 'readings'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^refused_token_status {2}\S.*\n {2}.*\n {2}\* {2}401 {2,}\S.*\n {5}403 {2,}\S/m)
})

test.each([
  ['readings', READINGS],
  ['sub', READINGS.filter(({ name }) => name === 'sub')],
])('explain %s --json prints all readings, or the reading of this name', async (name, found) => {
  const { stdout } = await run(['explain', name, '--json'])
  expect(JSON.parse(stdout)).toEqual({ readings: found.map(describeReading) })
})

test('explain of a misspelled reading ends with the nearest name and exit code 1', async () => {
  const stderr =
    'error: there is no rule, no outcome and no reading "refused_token_statuss". Did you mean "refused_token_status"?\n'
  expect(await run(['explain', 'refused_token_statuss'])).toEqual({ code: 1, stdout: '', stderr })
})
