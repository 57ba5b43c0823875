import { expect, test } from 'vitest'
import * as z from 'zod'
import { countedList } from '../../src/files/counted-list.ts'
import { checkAgainst } from '../../src/files/schema-problems.ts'

function countingList() {
  const looked: unknown[] = []
  const item = z.unknown().refine((value) => looked.push(value) < 0, { error: 'is wrong' })
  return { looked, schema: z.object({ list: countedList(item, { min: 1, max: 3 }) }) }
}

test('A list that is too long is one problem, and none of its items is looked at', () => {
  const { looked, schema } = countingList()
  expect(checkAgainst(schema, { list: [1, 2, 3, 4] })).toEqual({
    kind: 'invalid',
    problems: [{ path: ['list'], message: 'expected at most 3 items, found a list of 4' }],
    rest: [],
  })
  expect(looked).toEqual([])
})

test('A list of the greatest length is looked at item by item', () => {
  const { looked, schema } = countingList()
  expect(checkAgainst(schema, { list: [1, 2, 3] })).toMatchObject({ problems: [{}, {}, {}] })
  expect(looked).toEqual([1, 2, 3])
})

test.each([
  [[], 'expected at least 1 item, found a list of 0'],
  ['1234', 'expected a list, found the text "1234"'],
  [{ length: 4 }, 'expected a list, found a mapping'],
  [undefined, 'is missing; expected a list'],
])('What is no such list is reported as by any other: %j', (list, message) => {
  const { schema } = countingList()
  expect(checkAgainst(schema, { list })).toMatchObject({ problems: [{ path: ['list'], message }] })
})

test('Its JSON Schema is that of the list', () => {
  expect(z.toJSONSchema(countedList(z.string(), { min: 1, max: 3 }), { io: 'input' })).toMatchObject({
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 3,
  })
})
