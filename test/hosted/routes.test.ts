import { expect, test } from 'vitest'
import { press, submit } from '../support/forms.ts'
import { textOf } from '../support/markup.ts'
import { useRequest } from '../support/requests.ts'
import { shareSandbox } from '../support/sandbox.ts'

const sandbox = await shareSandbox()
const open = async () => (await sandbox.request.get('/v1/oidc/use').query(useRequest())).text
const advanced = async () => (await sandbox.clock.state()).advanced_seconds

test('The clock on a hosted page advances by 91 seconds, personas grow older by it, and the request still waits', async () => {
  await sandbox.request.post('/_sandbox/clock').send({ set: '2030-05-01T23:59:00Z', freeze: true })
  const reached = (page: string) => /Turns 18 tomorrow ([\d, ]+ yes)/.exec(textOf(page))?.[1]
  const before = await open()
  const { text: after } = await submit(sandbox, press(before, 'advance'))
  expect([before, after].map(reached)).toEqual(['13, 16 yes', '13, 16, 18 yes'])
  expect(textOf(before)).toContain('Sandbox clock 2030-05-01T23:59:00Z')
  expect(textOf(after)).toContain('Sandbox clock 2030-05-02T00:00:31Z')
  expect(await advanced()).toBe(91)
  expect((await submit(sandbox, press(after, 'use'))).status).toBe(303)
})

const WRONG = ['0', '-91', '1.5', '91s', '', '9999999999']
test.each(WRONG)('A hosted page does not advance the clock by %j', async (advance) => {
  const { action, fields } = press(await open(), 'advance')
  fields.set('advance', advance)
  const { status, text } = await submit(sandbox, { action, fields })
  const message = `advance: ${JSON.stringify(advance)} is not a whole number of seconds from 1 to 999999999.`
  expect([status, textOf(text), await advanced()]).toEqual([400, expect.stringContaining(message), 0])
})

test('A hosted page refuses to advance the clock past the end of the calendar, and for an unknown transaction', async () => {
  await sandbox.clock.set('9999-12-31T23:59:30Z')
  await sandbox.clock.freeze()
  const form = press(await open(), 'advance')
  const { status, text } = await submit(sandbox, form)
  expect([status, textOf(text)]).toEqual([400, expect.stringContaining('would pass the end of the year 9999')])
  form.fields.set('transaction', 'unknown')
  form.fields.set('advance', '1')
  expect([(await submit(sandbox, form)).status, await advanced()]).toEqual([410, 0])
})
