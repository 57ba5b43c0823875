import { expect, test } from 'vitest'
import { createBrowserClient } from '../../../support/browser-client.ts'
import { tagsOf, textOf } from '../../../support/markup.ts'
import { useRequest } from '../../../support/requests.ts'
import { startSandbox } from '../../../support/sandbox.ts'

const FORCE = '/_sandbox/console/force'

test('The page Force queues a decision', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  const fields = {
    flow: 'use',
    persona: 'teen-16',
    outcome: '',
    state: 's',
    nonce: 'n',
    times: '2',
  }
  await browser.submit(FORCE, fields)
  const queued = { flow: 'use', persona: 'teen-16', times: 2, match: { state: 's', nonce: 'n' } }
  expect(await sandbox.expectations.list()).toMatchObject([queued])
  expect(textOf((await browser.get(FORCE)).text)).toContain('2 of 2')
})

test('The page Force removes one decision', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  const fields = {
    flow: 'use',
    persona: 'teen-16',
    outcome: '',
    state: 's',
    nonce: 'n',
    times: '2',
  }
  await browser.submit(FORCE, fields)
  const queued = { flow: 'use', persona: 'teen-16', times: 2, match: { state: 's', nonce: 'n' } }
  const other = await sandbox.next({ persona: 'child-12' })
  await browser.submit(FORCE, { remove: other.id })
  expect(await sandbox.expectations.list()).toMatchObject([queued])
  expect((await browser.submit(FORCE, { remove: other.id })).status).toBe(303)
  await browser.submit(FORCE, { clear: 'true' })
  expect(await sandbox.expectations.list()).toEqual([])
})

test('The page Force fills its form with the outcome of a link', async () => {
  const { request } = await startSandbox()
  const { text } = await request.get(`${FORCE}?flow=token&outcome=token.500`)
  const fields = tagsOf(text).map(({ attributes }) => attributes)
  expect(fields.find(({ name }) => name === 'outcome')?.['value']).toBe('token.500')
  expect(fields.find(({ selected }) => selected !== undefined)?.['value']).toBe('token')
})

test('The page Force moves the clock', async () => {
  const sandbox = await startSandbox()
  const send = (fields: Readonly<Record<string, string>>) =>
    createBrowserClient(sandbox.baseUrl).submit('/_sandbox/console/force', fields)
  const answer = await send({ advance: '86400' })
  expect(answer.status).toBe(303)
  expect(answer.headers.location).toBe('/_sandbox/console/force#clock')
  expect((await sandbox.clock.state()).advanced_seconds).toBe(86_400)
})

test('The page Force sets the clock', async () => {
  const sandbox = await startSandbox()
  const send = (fields: Readonly<Record<string, string>>) =>
    createBrowserClient(sandbox.baseUrl).submit('/_sandbox/console/force', fields)
  await send({ set: '2030-01-01', freeze: 'true' })
  expect(await sandbox.clock.state()).toMatchObject({
    now: '2030-01-01T00:00:00.000Z',
    frozen: true,
  })
})

test('The page Force keeps a text that is no time', async () => {
  const sandbox = await startSandbox()
  const send = (fields: Readonly<Record<string, string>>) =>
    createBrowserClient(sandbox.baseUrl).submit('/_sandbox/console/force', fields)
  expect((await send({ set: 'tomorrow' })).text).toContain('value="tomorrow"')
  const { text } = await send({ advance: 'a day' })
  expect(textOf(text)).toContain('advance: expected a number, found the text "a day"')
  expect(text).toContain('value="a day"')
})

test('The page Force resets the clock', async () => {
  const sandbox = await startSandbox()
  const send = (fields: Readonly<Record<string, string>>) =>
    createBrowserClient(sandbox.baseUrl).submit('/_sandbox/console/force', fields)
  await send({ advance: '86400', freeze: 'true' })
  await send({ reset: 'true' })
  expect(await sandbox.clock.state()).toMatchObject({ advanced_seconds: 0, frozen: false })
})

const YAML = `name: Gives up, then comes back
client: ak_test_sandbox
steps:
  - clock: { advance: 60 }
  - decide: { flow: use, outcome: access_denied }
  - decide: { flow: use, persona: teen-16 }
    expect: { nonce: another }
`

test('The page Force shows how far a scenario has come', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  const shown = async () => textOf((await browser.get(FORCE)).text)
  expect(await shown()).toContain('No scenario is armed')
  const armed = await browser.submit(FORCE, { arm: 'true', yaml: YAML })
  expect(armed.status).toBe(303)
  expect(armed.headers.location).toBe(`${FORCE}#scenarios`)
  expect(await shown()).toMatch(
    /then comes back .*1 of 3 steps.*Waits for the next use request of ak_test_sandbox/,
  )
  await sandbox.request.get('/v1/oidc/use').query(useRequest())
  expect(await shown()).toMatch(/2 of 3 steps/)
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ nonce: 'mine' }))
  expect(await shown()).toContain('Failed: nonce: expected "another", came "mine"')
})

test('The page Force adds the personas of a scenario', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  const own = `name: with a persona of its own
personas: [{ name: my-own, title: Mine, purpose: for this scenario }]
steps: [{ decide: { flow: use, persona: my-own } }]
`
  await browser.submit(FORCE, { arm: 'true', yaml: own })
  expect(await sandbox.personas.get('my-own')).toMatchObject({ title: 'Mine' })
})

test('The page Force removes a scenario', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  await browser.submit(FORCE, { arm: 'true', yaml: YAML })
  const [scenario] = await sandbox.scenarios.list()
  await browser.submit(FORCE, { remove: scenario?.id ?? '' })
  expect(await sandbox.scenarios.list()).toEqual([])
})

test('The page Force says for what a scenario waits', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.baseUrl)
  const shown = async () => textOf((await browser.get(FORCE)).text)
  await sandbox.scenarios.arm({ name: 'Upgrades', steps: [{ await: 'upgrade' }] })
  expect(await shown()).toContain('Waits for a successful upgrade call of your app.')
})
