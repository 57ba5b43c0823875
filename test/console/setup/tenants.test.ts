import { expect, test } from 'vitest'
import { createBrowserClient } from '../../support/browser-client.ts'
import { textOf } from '../../support/markup.ts'
import { startSandbox } from '../../support/sandbox.ts'

const TENANTS = '/_sandbox/console/tenants'

test('The tenants page makes, resets and removes tenants', async () => {
  const sandbox = await startSandbox()
  const browser = createBrowserClient(sandbox.url)
  await browser.submit(TENANTS, { add: 'qa' })
  await sandbox.tenant('qa').next({ persona: 'teen-16' })
  await browser.submit(TENANTS, { reset: 'qa' })
  expect(await sandbox.tenant('qa').expectations.list()).toEqual([])
  expect(textOf((await browser.get(TENANTS)).text)).toContain('2 tenants')
  await browser.submit(TENANTS, { remove: 'qa' })
  expect(textOf((await browser.get(TENANTS)).text)).toContain('1 tenant ')
})

test('The tenants page leads from each page to the next one, which keeps the search', async () => {
  const sandbox = await startSandbox()
  for (let n = 10; n < 69; n++) await sandbox.tenant(`qa-${n}`).configure({})
  const read = async (query: string) => {
    const { text } = await sandbox.request.get(TENANTS + query)
    return { names: text.match(/(?<=id="tenant-)qa-\d+/g), next: /href="(\?[^"]*after=[^"]*)"/.exec(text)?.[1] }
  }
  const first = await read('?q=QA-')
  expect([first.names?.length, first.next]).toEqual([50, '?q=QA-&amp;after=qa-59'])
  const second = await read('?q=QA-&after=qa-59')
  expect(second).toEqual({ names: Array.from({ length: 9 }, (_, n) => `qa-${n + 60}`), next: undefined })
  expect((await read('?q=qa-&after=gone')).names).toEqual(first.names)
})
