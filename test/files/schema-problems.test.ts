import { expect, test } from 'vitest'
import * as z from 'zod'
import { checkAgainst } from '../../src/files/schema-problems.ts'

const persona = z.strictObject({ name: z.string(), title: z.string(), purpose: z.string() })
const strangers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`nam${n}`, n]))

const reportOn = (value: unknown) => {
  const checked = checkAgainst(persona, value)
  return checked.kind === 'valid' ? undefined : checked
}

const valid = { name: 'a', title: 'a', purpose: 'a' }

test('A report has 100 problems, and a last line for all others', () => {
  expect(reportOn({ ...valid, ...strangers(100) })).toMatchObject({ rest: [] })
  const { problems = [], rest } = reportOn({ ...valid, ...strangers(101) }) ?? {}
  expect(problems).toHaveLength(100)
  expect(rest).toEqual(['and 1 more problem'])
  expect(reportOn({ ...valid, ...strangers(20_000) })?.rest).toEqual(['and 19900 more problems'])
})

test('Every problem of a report says what was probably meant', () => {
  const { problems = [] } = reportOn({ ...valid, ...strangers(200) }) ?? {}
  expect(problems.filter(({ message }) => !/Did you mean "name"|expected one of name/.test(message))).toEqual([])
})

test('A problem that two checks find is one problem', () => {
  const wrong = (schema: z.ZodType) => schema.refine(() => false, { error: 'is wrong' })
  expect(checkAgainst(wrong(wrong(z.string())), 'a')).toMatchObject({ problems: [{ path: [], message: 'is wrong' }] })
})

test('Four times as many mistakes take less than ten times as long: the report is no product of the two', () => {
  const list = z.array(persona)
  const fastest = (count: number) => {
    const value = Array.from({ length: count }, () => ({ titel: 1 }))
    const times = Array.from({ length: 3 }, () => {
      const start = process.cpuUsage()
      checkAgainst(list, value)
      return process.cpuUsage(start).user
    })
    return Math.min(...times)
  }
  fastest(500)
  expect(fastest(4_000) / fastest(1_000)).toBeLessThan(10)
})
