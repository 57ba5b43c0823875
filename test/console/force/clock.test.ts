import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'

test('The page Force moves, sets, freezes and resets the clock, and shows it again', async () => {
  const sandbox = await startSandbox()
  const send = (fields: Readonly<Record<string, string>>) =>
    createBrowserClient(sandbox.url).submit('/_sandbox/console/force', fields)
  const answer = await send({ advance: '86400' })
  expect([answer.status, answer.headers.location]).toEqual([303, '/_sandbox/console/force#clock'])
  expect((await sandbox.clock.state()).advanced_seconds).toBe(86_400)
  await send({ set: '2030-01-01', freeze: 'true' })
  expect(await sandbox.clock.state()).toMatchObject({ now: '2030-01-01T00:00:00.000Z', frozen: true })
  expect((await send({ set: 'tomorrow' })).text).toContain('value="tomorrow"')
  const { text } = await send({ advance: 'a day' })
  expect([textOf(text), text]).toEqual([
    expect.stringContaining('advance: expected a number, found the text "a day"'),
    expect.stringContaining('value="a day"'),
  ])
  await send({ reset: 'true' })
  expect(await sandbox.clock.state()).toMatchObject({ advanced_seconds: 0, frozen: false })
})
