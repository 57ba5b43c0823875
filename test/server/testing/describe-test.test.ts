import { expect, onTestFinished, test } from 'vitest'
import { describeTest } from '../../../src/server/testing/describe-test.ts'

/** A task of Vitest, whose context is a function. */
function contextOf(...names: string[]) {
  const file = { name: 'a.test.ts', filepath: '/app/a.test.ts' }
  const suite = names.slice(0, -1).reduce<object>((parent, name) => ({ name, suite: parent }), file)
  return Object.assign(() => {}, { task: { name: names.at(-1), suite, file } })
}

test('A test is described by its task in Vitest: the names of its suites and its own, and its file', (context) => {
  expect(describeTest(contextOf('a shop', 'with a basket', 'lets an adult in'))).toEqual({
    name: 'a shop > with a basket > lets an adult in',
    file: '/app/a.test.ts',
  })
  expect(describeTest(contextOf('lets an adult in')).name).toBe('lets an adult in')
  expect(describeTest(context)).toEqual({
    name: expect.stringMatching(/^A test is described by its task in Vitest/),
    file: expect.stringMatching(/describe-test\.test\.ts$/),
  })
})

test('A test is described by its context in node:test, whose older versions know no full name', () => {
  expect(describeTest({ name: 'inner', fullName: 'suite > inner' })).toEqual({ name: 'suite > inner' })
  expect(describeTest({ name: 'inner' })).toEqual({ name: 'inner' })
})

test('A test is described in Jest by the global expect, and not at all by another runner', () => {
  const getState = () => ({ currentTestName: 'suite inner', testPath: '/app/a.test.js' })
  Reflect.set(
    globalThis,
    'expect',
    Object.assign(() => {}, { getState }),
  )
  onTestFinished(() => void Reflect.deleteProperty(globalThis, 'expect'))
  expect(describeTest(undefined)).toEqual({ name: 'suite inner', file: '/app/a.test.js' })
  Reflect.deleteProperty(globalThis, 'expect')
  expect([describeTest(undefined), describeTest('done')]).toEqual([{}, {}])
  expect(describeTest({ task: null, name: 5 })).toEqual({ name: undefined })
})
