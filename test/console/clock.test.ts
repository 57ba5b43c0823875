import { describe, expect, it } from 'vitest'
import { createBrowserClient } from '../support/browser-client.ts'
import { startSandbox } from '../support/sandbox.ts'

const CLOCK = '/_sandbox/console/clock'

describe('the clock page', () => {
  it('moves the clock and shows it again', async () => {
    const sandbox = await startSandbox()
    const browser = createBrowserClient(sandbox.url)
    const before = await sandbox.clock.state()
    const answer = await browser.submit(CLOCK, { advance: '86400' })
    expect([answer.status, answer.headers.location]).toEqual([303, CLOCK])
    expect((await sandbox.clock.state()).advanced_seconds - before.advanced_seconds).toBe(86_400)
    await browser.submit(CLOCK, { set: '2030-01-01', freeze: 'true' })
    expect(await sandbox.clock.state()).toMatchObject({ now: '2030-01-01T00:00:00.000Z', frozen: true })
    await browser.submit(CLOCK, { reset: 'true' })
    expect(await sandbox.clock.state()).toMatchObject({ advanced_seconds: 0, frozen: false })
  })
})
