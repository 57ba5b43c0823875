import { expect, test } from 'vitest'
import * as z from 'zod'
import { countedList } from '../../src/files/counted-list.ts'
import { checkAgainst } from '../../src/files/schema-problems.ts'

const TWO = [1, 2]

test.each<[list: unknown, looked: unknown[], messages: string[]]>([
  [[1, 2, 3, 4], [], ['expected at most 3 items, found a list of 4']],
  [TWO, TWO, ['is wrong', 'is wrong']],
  [[], [], ['expected at least 1 item, found a list of 0']],
  ['1234', [], ['expected a list, found the text "1234"']],
  [{ length: 4 }, [], ['expected a list, found a mapping']],
  [undefined, [], ['is missing; expected a list']],
])('A list that is counted first, %j, has its items %j looked at, and the problems %j', (list, looked, messages) => {
  const seen: unknown[] = []
  const item = z.unknown().refine((value) => seen.push(value) < 0, { error: 'is wrong' })
  const checked = checkAgainst(z.object({ list: countedList(item, { min: 1, max: 3 }) }), { list })
  const problems = messages.map((message, index) => ({ path: looked[index] ? ['list', index] : ['list'], message }))
  expect(checked).toEqual({ kind: 'invalid', problems, rest: [] })
  expect(seen).toEqual(looked)
})

test('The JSON Schema of a list that is counted first is that of the list', () => {
  const list = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 }
  expect(z.toJSONSchema(countedList(z.string(), { min: 1, max: 3 }), { io: 'input' })).toMatchObject(list)
})
