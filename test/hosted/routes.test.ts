import { describe, expect, it } from 'vitest'
import { press, submit } from '../support/forms.ts'
import { textOf } from '../support/markup.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

describe('the clock on a hosted page', () => {
  it('advances by 91 seconds, and the request still waits', async () => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const again = await submit(sandbox, press(text, 'advance'))
    expect(again.status).toBe(200)
    expect(await (await fetch(`${sandbox.url}/_sandbox/clock`)).json()).toMatchObject({ advanced_seconds: 91 })
    expect((await submit(sandbox, press(again.text, 'use'))).status).toBe(303)
  })

  it('shows the time of the sandbox and lets personas grow older by it', async () => {
    const sandbox = await startSandbox()
    await sandbox.request.post('/_sandbox/clock').send({ set: '2030-05-01T23:59:00Z', freeze: true })
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const reached = (page: string) => /Turns 18 tomorrow ([\d, ]+ yes)/.exec(textOf(page))?.[1]
    expect(textOf(text)).toContain('Sandbox clock 2030-05-01T23:59:00Z')
    expect(reached(text)).toBe('13, 16 yes')
    const { text: later } = await submit(sandbox, press(text, 'advance'))
    expect(textOf(later)).toContain('Sandbox clock 2030-05-02T00:00:31Z')
    expect(reached(later)).toBe('13, 16, 18 yes')
  })

  it.each(['0', '-91', '1.5', '91s', '', '9999999999'])('refuses to advance by %j', async (advance) => {
    const sandbox = await startSandbox()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const { action, fields } = press(text, 'advance')
    fields.set('advance', advance)
    const answer = await submit(sandbox, { action, fields })
    expect(answer.status).toBe(400)
    expect(textOf(answer.text)).toContain(
      `advance: ${JSON.stringify(advance)} is not a whole number of seconds from 1 to 999999999.`,
    )
  })

  it('refuses to advance past the end of the calendar', async () => {
    const sandbox = await startSandbox()
    await sandbox.clock.set('9999-12-31T23:59:30Z')
    await sandbox.clock.freeze()
    const { text } = await sandbox.request.get('/v1/oidc/use').query(useRequest())
    const answer = await submit(sandbox, press(text, 'advance'))
    expect(answer.status).toBe(400)
    expect(textOf(answer.text)).toContain('would pass the end of the year 9999')
  })

  it('does not move for an unknown transaction', async () => {
    const sandbox = await startSandbox()
    const fields = new URLSearchParams({ transaction: 'unknown', advance: '91' })
    expect((await submit(sandbox, { action: '/v1/oidc/use/clock', fields })).status).toBe(410)
    expect(await (await fetch(`${sandbox.url}/_sandbox/clock`)).json()).toMatchObject({ advanced_seconds: 0 })
  })
})
