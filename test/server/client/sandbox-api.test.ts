import { describe, expect, test } from 'vitest'
import { connectSandbox } from '../../../src/server/client/connect-sandbox.ts'
import type { SandboxApi } from '../../../src/server/client/sandbox-api.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

test('A caller that changes a result does not change what the sandbox holds', async () => {
  const sandbox = await startSandbox()
  const expectation = await sandbox.next({ outcome: 'access_denied', match: { state: 'a' } })
  expectation.remaining = 99
  if (expectation.match) expectation.match.state = 'b'
  expect(await sandbox.expectations.list()).toEqual([
    { ...expectation, remaining: 1, match: { state: 'a' } },
  ])
  const persona = await sandbox.personas.get('teen-16')
  persona.age_key?.signals.splice(0)
  expect((await sandbox.personas.get('teen-16')).age_key?.signals).not.toEqual([])
})

test('A decision without a flow is for the flow that has its outcome, Use first', async () => {
  const { next } = await startSandbox()
  expect(await next({ outcome: 'access_denied' })).toMatchObject({ flow: 'use' })
  expect(await next({ outcome: 'created' })).toMatchObject({ flow: 'create' })
})

const shop = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/cb'] }

describe.each([
  ['in the process', (sandbox: TestSandbox): SandboxApi => sandbox],
  ['over HTTP', (sandbox: TestSandbox): SandboxApi => connectSandbox(sandbox.baseUrl)],
])('The API of a sandbox, %s', (_, open) => {
  /** A sandbox with a frozen clock, in which one flow has ended. */
  async function startWithEndedFlow() {
    const sandbox = await startSandbox()
    const rp = createRelyingParty(sandbox)
    const api = open(sandbox)
    await api.clock.freeze()
    await rp.use({ state: 'earlier' })
    return { rp, api }
  }

  test('flows.ended() waits for a flow that ends after the call', async () => {
    const { rp, api } = await startWithEndedFlow()
    const flow = api.flows.ended()
    await rp.use({ state: 'later' })
    expect(await flow).toMatchObject({ id: 'f2', state: 'later' })
  })

  test('flows.ended() gives a flow that ended after the mark, also when a reset came between', async () => {
    const { rp, api } = await startWithEndedFlow()
    const since = await api.flows.mark()
    await rp.use({ state: 'later' })
    await rp.use({ state: 'last' })
    expect(await api.flows.ended({ since })).toMatchObject({ state: 'later' })
    expect(await api.flows.ended({ since, state: 'last' })).toMatchObject({ id: 'f3' })
    expect(await api.flows.ended({ since: 'f2' })).toMatchObject({ id: 'f3' })
    const beforeReset = await api.flows.mark()
    await api.reset()
    await rp.use({ state: 'after the reset' })
    expect(await api.flows.ended({ since: beforeReset })).toMatchObject({
      state: 'after the reset',
    })
  })

  test('flows.list() gives the flows between two others', async () => {
    const { rp, api } = await startWithEndedFlow()
    for (const state of ['second', 'third']) await rp.use({ state })
    expect(await api.flows.list({ after: 'f1', before: 'f3' })).toMatchObject([{ id: 'f2' }])
  })

  test('flows.ended() rejects after its time', async () => {
    const { api } = await startWithEndedFlow()
    const remedy = 'call ended() before what ends the flow, or give it since: await flows.mark()'
    const late =
      'no flow that matches {"state":"x"} ended within 0.05 s after the call; f1 had ended before'
    const rejection = { name: 'SandboxError', error: 'timeout', message: `${late}: ${remedy}` }
    await expect(api.flows.ended({ state: 'x', timeoutSeconds: 0.05 })).rejects.toMatchObject(
      rejection,
    )
  })

  test('flows.ended() names the flow after which nothing ended', async () => {
    const { api } = await startWithEndedFlow()
    const afterLast = api.flows.ended({ since: 'f1', timeoutSeconds: 0.05 })
    await expect(afterLast).rejects.toThrow(/^no flow ended within 0.05 s after f1$/)
  })

  test.each([
    [
      { clients: [{ client_id: 'shop' }] },
      'clients[0].client_id: unknown key. Did you mean "clientId"?',
    ],
    [
      { clients: [{ ...shop, redirect_uris: [] }] },
      '[0].redirect_uris: unknown key. Did you mean "redirectUris"?',
    ],
    [
      { lifetimes: { request_uri: 5 } },
      'lifetimes.request_uri: unknown key. Did you mean "requestUri"?',
    ],
    [{ personna: 'teen-16' }, 'personna: unknown key. Did you mean "persona"?'],
  ])('configure() refuses %j with the right spelling', async (change, message) => {
    const refusal = open(await startSandbox()).configure(change as object)
    await expect(refusal).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringMatching(/^configure: /),
    })
    await expect(refusal).rejects.toThrow(message)
  })
})

test('configure() accepts the clients of createSandbox', async () => {
  const sandbox = await startSandbox()
  const clients = [{ ...shop, signingAlg: 'ES256' as const }]
  await sandbox.configure({ clients, lifetimes: { requestUri: 5 }, persona: undefined })
  const { body } = await sandbox.request.get('/_sandbox/tenants/default').expect(200)
  const declared = [{ client_id: 'shop', redirect_uris: ['https://shop.example/cb'] }]
  expect(body).toMatchObject({ clients: declared, lifetimes: { request_uri: 5, code: 600 } })
})

test.each([
  [
    'Bad',
    'tenant "Bad" is not a name: 1 to 63 lowercase letters, digits and hyphens, no hyphen first',
  ],
  ['default', 'tenant "default" is the one at the base URL itself; use its address, without /t/'],
])('A tenant cannot be called %s', async (name, message) => {
  const sandbox = await startSandbox()
  expect(() => sandbox.tenant(name)).toThrow(
    expect.objectContaining({ name: 'SandboxError', status: 400, message }),
  )
})

test('Removing a tenant that does not exist, or the one at the base URL, rejects with a SandboxError', async () => {
  const sandbox = await startSandbox()
  await sandbox.tenant('one').reset()
  const rejection = { name: 'SandboxError', status: 404, suggestions: ['one'] }
  await expect(sandbox.removeTenant('onee')).rejects.toMatchObject(rejection)
  await expect(sandbox.removeTenant('default')).rejects.toMatchObject({
    name: 'SandboxError',
    status: 400,
  })
})
