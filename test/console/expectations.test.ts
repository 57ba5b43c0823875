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

  it('removes one decision, and leaves the others', async () => {
    const sandbox = await startSandbox()
    const browser = createBrowserClient(sandbox.url)
    const first = await sandbox.next({ persona: 'teen-16' })
    const second = await sandbox.next({ persona: 'child-12' })
    await browser.submit(EXPECTATIONS, { remove: first.id })
    expect((await sandbox.expectations.list()).map(({ id }) => id)).toEqual([second.id])
    expect((await browser.submit(EXPECTATIONS, { remove: first.id })).status).toBe(303)
  })

  it('leads from each page of the queue to the next one, down to the last', async () => {
    const sandbox = await startSandbox()
    for (let n = 0; n < 250; n++) await sandbox.next({ persona: 'teen-16', match: { state: `state-${n}` } })
    const browser = createBrowserClient(sandbox.url)
    const pages: number[] = []
    const states = new Set<string>()
    for (let query: string | undefined = ''; query !== undefined; ) {
      const { text } = await browser.get(EXPECTATIONS + query)
      const found: string[] = text.match(/state: state-\d+/g) ?? []
      for (const state of found) states.add(state)
      pages.push(found.length)
      query = /href="(\?after=[^"]+)"/.exec(text)?.[1]
    }
    expect(pages).toEqual([100, 100, 50])
    expect(states.size).toBe(250)
  })
})
