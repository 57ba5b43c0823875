import { afterEach, describe, expect, test } from 'vitest'
import { describeTest } from '../../../src/server/testing/describe-test.ts'

/** A task of Vitest, whose context is a function. */
function contextOf(...names: string[]) {
  const file = { name: 'a.test.ts', filepath: '/app/a.test.ts' }
  const suite = names.slice(0, -1).reduce<object>((parent, name) => ({ name, suite: parent }), file)
  return Object.assign(() => {}, { task: { name: names.at(-1), suite, file } })
}

describe('A test is described', () => {
  test('by its task in Vitest: the names of its suites and its own, and its file', () => {
    expect(describeTest(contextOf('a shop', 'with a basket', 'lets an adult in'))).toEqual({
      name: 'a shop > with a basket > lets an adult in',
      file: '/app/a.test.ts',
    })
    expect(describeTest(contextOf('lets an adult in')).name).toBe('lets an adult in')
  })

  test('as this version of Vitest describes this test', (context) => {
    expect(describeTest(context)).toEqual({
      name: 'A test is described > as this version of Vitest describes this test',
      file: expect.stringMatching(/describe-test\.test\.ts$/),
    })
  })

  test('by its context in node:test, whose older versions know no full name', () => {
    expect(describeTest({ name: 'inner', fullName: 'suite > inner' })).toEqual({ name: 'suite > inner' })
    expect(describeTest({ name: 'inner' })).toEqual({ name: 'inner' })
  })

  describe('in Jest', () => {
    afterEach(() => void Reflect.deleteProperty(globalThis, 'expect'))

    test('by the global expect', () => {
      const getState = () => ({ currentTestName: 'suite inner', testPath: '/app/a.test.js' })
      Reflect.set(
        globalThis,
        'expect',
        Object.assign(() => {}, { getState }),
      )
      expect(describeTest(undefined)).toEqual({ name: 'suite inner', file: '/app/a.test.js' })
    })
  })

  test('not at all by another runner', () => {
    expect(describeTest(undefined)).toEqual({})
    expect(describeTest('done')).toEqual({})
    expect(describeTest({ task: null, name: 5 })).toEqual({ name: undefined })
  })
})
