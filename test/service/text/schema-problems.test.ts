import { expect, test } from 'vitest'
import * as z from 'zod'
import { countedList } from '../../../src/service/text/counted-list.ts'
import { checkAgainst, mustBe } from '../../../src/service/text/schema-problems.ts'

const persona = z.strictObject({ name: z.string(), title: z.string(), purpose: z.string() })
const strangers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`nam${n}`, n]))

const reportOn = (value: unknown) => {
  const checked = checkAgainst(persona, value)
  return checked.kind === 'valid' ? undefined : checked
}

const valid = { name: 'a', title: 'a', purpose: 'a' }

test('A report lists 100 problems', () => {
  expect(reportOn({ ...valid, ...strangers(100) })).toMatchObject({ rest: [] })
  const { problems = [] } = reportOn({ ...valid, ...strangers(101) }) ?? {}
  expect(problems).toHaveLength(100)
})

test('A report counts the problems after the hundredth', () => {
  const { rest } = reportOn({ ...valid, ...strangers(101) }) ?? {}
  expect(rest).toEqual(['and 1 more problem'])
  expect(reportOn({ ...valid, ...strangers(20_000) })?.rest).toEqual(['and 19900 more problems'])
})

test('A report suggests the member that was probably meant', () => {
  const { problems = [] } = reportOn({ ...valid, ...strangers(101) }) ?? {}
  expect(
    problems.filter(({ message }) => !/Did you mean "name"|expected one of name/.test(message)),
  ).toEqual([])
})

const wrong = (schema: z.ZodType) => schema.refine(() => false, { error: 'is wrong' })
const SECONDS = z.object({ advance: z.number().min(0, mustBe('0 or more seconds')) })
const WAIT = z.object({ wait: z.coerce.number<string>(mustBe('a number of seconds')) })
const SECRETS = z.object({ client_secret: z.string(), control_token: z.string().max(3) })

test.each<[what: string, z.ZodType, value: unknown, messages: string[]]>([
  ['what two checks find once', wrong(wrong(z.string())), 'a', ['is wrong']],
  [
    'what must be and what was found',
    SECONDS,
    { advance: -5 },
    ['must be 0 or more seconds, found -5'],
  ],
  [
    'no number that cannot be read',
    WAIT,
    { wait: 'soon' },
    ['must be a number of seconds, found no number'],
  ],
  [
    'no secret of the wrong kind',
    SECRETS,
    { client_secret: 271828, control_token: 'swordfish' },
    [
      'expected a text, found a number that is not shown',
      'expected at most 3 characters, found a string that is not shown',
    ],
  ],
])('The problems of a value with a schema show %s', (_, schema, value, messages) => {
  const checked = checkAgainst(schema, value)
  expect(checked.kind === 'valid' ? [] : checked.problems.map(({ message }) => message)).toEqual(
    messages,
  )
})

const TWO = [1, 2]

test.each<[list: unknown, looked: unknown[], messages: string[]]>([
  [[1, 2, 3, 4], [], ['expected at most 3 items, found a list of 4']],
  [TWO, TWO, ['is wrong', 'is wrong']],
  [[], [], ['expected at least 1 item, found a list of 0']],
  ['1234', [], ['expected a list, found the text "1234"']],
  [{ length: 4 }, [], ['expected a list, found a mapping']],
  [undefined, [], ['is missing; expected a list']],
])('A counted list that is %j has the items %j checked', (list, looked, messages) => {
  const seen: unknown[] = []
  const item = z.unknown().refine((value) => seen.push(value) < 0, { error: 'is wrong' })
  const checked = checkAgainst(z.object({ list: countedList(item, { min: 1, max: 3 }) }), {
    list,
  })
  const problems = messages.map((message, index) => ({
    path: looked[index] ? ['list', index] : ['list'],
    message,
  }))
  expect(checked).toEqual({ kind: 'invalid', problems, rest: [] })
  expect(seen).toEqual(looked)
})

test('The JSON Schema of a list that is counted first is that of the list', () => {
  const list = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3 }
  expect(
    z.toJSONSchema(countedList(z.string(), { min: 1, max: 3 }), { io: 'input' }),
  ).toMatchObject(list)
})
