import { expect, test } from 'vitest'
import * as z from 'zod'
import { mustBe } from '../../src/files/describe-issue.ts'
import { checkAgainst } from '../../src/files/schema-problems.ts'

const messagesOf = (schema: z.ZodType, value: unknown) => {
  const checked = checkAgainst(schema, value)
  return checked.kind === 'valid' ? [] : checked.problems.map(({ message }) => message)
}

test('A message of a schema says what must be and what was found', () => {
  const seconds = z.object({ advance: z.number().min(0, mustBe('0 or more seconds')) })
  expect(messagesOf(seconds, { advance: -5 })).toEqual(['must be 0 or more seconds, found -5'])
})

test('A number that cannot be read is reported as none', () => {
  const wait = z.object({ wait: z.coerce.number<string>(mustBe('a number of seconds')) })
  expect(messagesOf(wait, { wait: 'soon' })).toEqual(['must be a number of seconds, found no number'])
})

test('A secret of the wrong kind is not repeated', () => {
  const client = z.object({ client_secret: z.string(), control_token: z.string().max(3) })
  const messages = messagesOf(client, { client_secret: 271828, control_token: 'swordfish' })
  expect(messages).toEqual([
    'expected a text, found a number that is not shown',
    'expected at most 3 characters, found a string that is not shown',
  ])
})
