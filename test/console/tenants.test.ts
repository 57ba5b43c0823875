import { describe, expect, it } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { textOf } from '../support/markup.ts'
import { startSandbox } from '../support/sandbox.ts'

const TENANTS = '/_sandbox/console/tenants'

describe('the tenants page', () => {
  it('makes, resets and removes tenants', async () => {
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
})
