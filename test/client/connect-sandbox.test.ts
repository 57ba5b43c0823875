import { describe, expect, test } from 'vitest'
import { connectSandbox } from '../../src/client/connect-sandbox.ts'
import { createRelyingParty } from '../support/relying-party.ts'
import { useRequest } from '../support/requests.ts'
import { startSandbox } from '../support/sandbox.ts'

describe('connectSandbox', () => {
  test('drives a sandbox over HTTP as createSandbox does in the process', async () => {
    const sandbox = await startSandbox()
    await using remote = connectSandbox(sandbox.url)
    await remote.next({ outcome: 'access_denied' })
    await remote.clock.advance(91)
    const { id } = await remote.scenarios.arm({ name: 'A', steps: [{ await: 'par' }] })
    await createRelyingParty(sandbox).use({ sandbox_persona: undefined })
    expect(await remote.flows.last()).toMatchObject({ outcome: 'access_denied' })
    expect(await remote.flows.ended({ since: 'f0', timeoutSeconds: 1 })).toEqual(await sandbox.flows.last())
    expect(await remote.scenarios.get(id)).toEqual(await sandbox.scenarios.get(id))
    expect((await remote.evaluate({ claims: { age_thresholds: [18] }, persona: 'teen-16' })).age_thresholds).toEqual({
      18: false,
    })
    await remote.reset()
    expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
  })

  test('waits for the next flow by its first call, which the code of the control API is loaded for', async () => {
    const sandbox = await startSandbox()
    const decide = async (state: string) =>
      (
        await fetch(
          `${sandbox.url}/v1/oidc/use?${new URLSearchParams(useRequest({ state, sandbox_persona: 'teen-16' }))}`,
          { redirect: 'manual' },
        )
      ).status
    expect(await decide('earlier')).toBe(302)
    const flow = connectSandbox(sandbox.url).flows.ended()
    expect(await decide('later')).toBe(302)
    expect(await flow).toMatchObject({ state: 'later' })
  })

  test.each([
    [
      'http://localhost:2435',
      { controlTokn: 'x' },
      'connectSandbox: controlTokn: unknown key. Did you mean "controlToken"?',
    ],
    ['localhost:2435', {}, 'connectSandbox: "localhost:2435" is not a URL like http://localhost:2435'],
  ])('refuses %s with %j at once', (url, options, message) => {
    expect(() => connectSandbox(url, options as object)).toThrow(message)
  })

  test('reaches a tenant and removes it', async () => {
    const sandbox = await startSandbox()
    const remote = connectSandbox(`${sandbox.url}/`)
    await remote.tenant('ci').clock.advance(3)
    expect((await sandbox.tenant('ci').clock.state()).advanced_seconds).toBe(3)
    await remote.removeTenant('ci')
    expect((await sandbox.tenant('ci').clock.state()).advanced_seconds).toBe(0)
  })

  test('makes a tenant with its first call, where a call of its address does not', async () => {
    const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'right' })
    const url = sandbox.url.replace('0.0.0.0', '127.0.0.1')
    const keySetOf = async (name: string) => (await fetch(`${url}/t/${name}/.well-known/jwks.json`)).status
    expect(await keySetOf('one')).toBe(404)
    await connectSandbox(url, { controlToken: 'right' }).tenant('one').next({ persona: 'teen-16' })
    expect(await keySetOf('one')).toBe(200)
    const two = connectSandbox(`${url}/t/two`, { controlToken: 'right' })
    expect(await two.expectations.list()).toEqual([])
    await two.removeTenant('two')
    expect(await keySetOf('two')).toBe(404)
    await expect(connectSandbox(url).tenant('three').reset()).rejects.toMatchObject({ status: 401 })
  })

  test('rejects with what the sandbox says, and names an address where nothing listens', async () => {
    const sandbox = await startSandbox()
    await expect(connectSandbox(sandbox.url).next({ persona: 'teen-61' })).rejects.toMatchObject({
      name: 'SandboxError',
      status: 400,
      error: 'invalid_request',
      suggestions: expect.arrayContaining(['teen-16']),
    })
    await sandbox.close()
    const { port } = new URL(sandbox.url)
    await expect(connectSandbox(sandbox.url).reset()).rejects.toMatchObject({
      name: 'SandboxError',
      status: 0,
      error: 'unreachable',
      message: `${sandbox.url}: nothing listens there; start a sandbox (npx agekey-sandbox --port ${port}), or give the address of one that runs`,
    })
  })
})
