import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { tagsOf, textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'

const FORCE = '/_sandbox/console/force'

test('The page Force queues a decision, removes that decision alone, and clears the queue', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.url)
  const fields = { flow: 'use', persona: 'teen-16', outcome: '', state: 's', nonce: 'n', times: '2' }
  await browser.submit(FORCE, fields)
  const queued = { flow: 'use', persona: 'teen-16', times: 2, match: { state: 's', nonce: 'n' } }
  expect(await sandbox.expectations.list()).toMatchObject([queued])
  expect(textOf((await browser.get(FORCE)).text)).toContain('2 of 2')
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

test('The page Force leads from each page of the queue to the next one, down to the last', async () => {
  const sandbox = await startSandbox()
  for (let n = 0; n < 101; n++) await sandbox.next({ persona: 'teen-16', match: { state: `state-${n}` } })
  const read = async (query = '') => (await sandbox.request.get(FORCE + query)).text
  const statesOn = (page: string): string[] => page.match(/state: state-\d+/g) ?? []
  const first = await read()
  const [, next] = /href="(\?after=[^"]+)"/.exec(first) ?? []
  const second = await read(next)
  expect([statesOn(first).length, statesOn(second).length, second.includes('href="?after=')]).toEqual([100, 1, false])
  expect(new Set([...statesOn(first), ...statesOn(second)]).size).toBe(101)
})
