import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { codeOf, isError, messageOf } from '../../../src/sandbox/files/caught.ts'

/** An error whose class is not the global one, as Node's are for a package that runs in Jest. */
const foreign: unknown = runInNewContext(
  `Object.assign(new TypeError('no such file'), { code: 'ENOENT' })`,
)

test('An error of another realm is an error', () => {
  expect(foreign).not.toBeInstanceOf(Error)
  expect(isError(foreign)).toBe(true)
})

test('An error of another realm has its code', () => {
  expect(codeOf(foreign)).toBe('ENOENT')
})

test('An error of another realm has its message without the name of its class', () => {
  expect(messageOf(foreign)).toBe('no such file')
})

test('A DOMException is an error', () => {
  expect(messageOf(new DOMException('it took too long', 'TimeoutError'))).toBe('it took too long')
})

test.each([undefined, null, 'ENOENT', 7, { code: 'ENOENT', message: 'no such file' }])(
  '%j is no error and has no code',
  (value) => {
    expect(isError(value)).toBe(false)
    expect(codeOf(value)).toBeUndefined()
  },
)
