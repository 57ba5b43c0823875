import { beforeEach, expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { textOf } from '../../support/markup.ts'
import { shareSandbox } from '../../support/sandbox.ts'

const CONSOLE = '/_sandbox/console'
const sandbox = await shareSandbox()
let browser = createBrowserClient(sandbox.baseUrl)
beforeEach(() => {
  browser = createBrowserClient(sandbox.baseUrl)
})

const submit = (page: string, fields: Readonly<Record<string, string>>) =>
  browser.submit(`${CONSOLE}/${page}`, fields)

test('A second decision of the page Force waits behind the first', async () => {
  await submit('force', { flow: 'use', persona: 'teen-16' })
  await submit('force', { flow: 'use', persona: 'child-12' })
  const waiting = await sandbox.expectations.list()
  expect(waiting.map(({ persona }) => persona)).toEqual(['teen-16', 'child-12'])
})

test('A second advance of the page Force counts from the first', async () => {
  await submit('force', { advance: '60' })
  await submit('force', { advance: '60' })
  expect((await sandbox.clock.state()).advanced_seconds).toBe(120)
})

test('The page Force advances the clock by 0 seconds', async () => {
  const { status } = await submit('force', { advance: '0' })
  expect(status).toBe(303)
  expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
})

test('The page Force refuses a decision for 0 requests', async () => {
  const { status, text } = await submit('force', { flow: 'use', persona: 'teen-16', times: '0' })
  expect(status).toBe(400)
  expect(textOf(text)).toContain('times: expected at least 1, found 0')
  expect(await sandbox.expectations.list()).toEqual([])
})

test('The page Force arms the same scenario a second time beside the first', async () => {
  const yaml = 'name: Twice\nsteps:\n  - decide: { flow: use, persona: teen-16 }\n'
  await submit('force', { arm: 'true', yaml })
  await submit('force', { arm: 'true', yaml })
  const [first, second, ...others] = await sandbox.scenarios.list()
  expect(others).toEqual([])
  expect(second?.id).toBeDefined()
  expect(second?.id).not.toBe(first?.id)
})

test('The personas page replaces the persona that the browser acts as', async () => {
  await submit('personas', { persona: 'teen-16' })
  await submit('personas', { persona: 'child-12' })
  const text = textOf((await browser.get(`${CONSOLE}/personas`)).text)
  expect(text).toContain('Acting as child-12')
  expect(text).not.toContain('Acting as teen-16')
})

test('The tenants page makes a second tenant beside the first', async () => {
  await submit('tenants', { add: 'first' })
  await submit('tenants', { add: 'second' })
  const text = textOf((await browser.get(`${CONSOLE}/tenants`)).text)
  expect(text).toContain('first')
  expect(text).toContain('second')
})

test('A second rotation of the page Setup publishes another key', async () => {
  const rotate = async () => {
    for (const stage of ['publish', 'use', 'retire']) await submit('setup', { rotate: stage })
    return (await sandbox.request.get('/.well-known/jwks.json')).body.keys[0].kid
  }
  const first = await rotate()
  expect(await rotate()).not.toBe(first)
})

test('A status strip of the console takes a clock back a second time', async () => {
  for (const seconds of [60, 90]) {
    await sandbox.clock.advance(seconds)
    await submit('status', { take_back: 'clock', here: `${CONSOLE}/force` })
    expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
  }
})
