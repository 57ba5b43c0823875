import { describe, expect, it } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'

const EXPECTATIONS = '/_sandbox/console/expectations'

describe('the expectations page', () => {
  it('queues an expectation and clears the queue', async () => {
    const sandbox = await startSandbox()
    const browser = createBrowserClient(sandbox.url)
    await browser.submit(EXPECTATIONS, {
      flow: 'use',
      persona: 'teen-16',
      outcome: '',
      state: 's',
      times: '2',
    })
    expect(await sandbox.expectations.list()).toMatchObject([
      { flow: 'use', persona: 'teen-16', times: 2, match: { state: 's' } },
    ])
    expect(textOf((await browser.get(EXPECTATIONS)).text)).toContain('2 of 2')
    await browser.submit(EXPECTATIONS, { clear: 'true' })
    expect(await sandbox.expectations.list()).toEqual([])
  })
})
