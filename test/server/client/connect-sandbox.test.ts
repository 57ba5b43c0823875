import { expect, test } from 'vitest'
import { connectSandbox } from '../../../src/server/client/connect-sandbox.ts'
import { findFreePort } from '../../support/free-port.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { sendUse, useRequest } from '../../support/requests.ts'
import { startSandbox } from '../../support/sandbox.ts'

test('connectSandbox drives a sandbox over HTTP as createSandbox does in the process', async () => {
  const sandbox = await startSandbox()
  await using remote = connectSandbox(sandbox.url)
  await remote.next({ outcome: 'access_denied' })
  await remote.clock.advance(91)
  const { id } = await remote.scenarios.arm({ name: 'A', steps: [{ await: 'par' }] })
  await createRelyingParty(sandbox).use({ sandbox_persona: undefined })
  expect(await remote.flows.last()).toMatchObject({ outcome: 'access_denied' })
  expect(await remote.flows.last({ flow: 'create' })).toBeUndefined()
  expect(await remote.flows.ended({ since: 'f0', timeoutSeconds: 1 })).toEqual(
    await sandbox.flows.last(),
  )
  expect(await remote.scenarios.get(id)).toEqual(await sandbox.scenarios.get(id))
  const { age_thresholds: ages } = await remote.evaluate({
    claims: { age_thresholds: [18] },
    persona: 'teen-16',
  })
  expect(ages).toEqual({ 18: false })
  await remote.reset()
  expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
})

test('connectSandbox hands over after: 0, so that a scenario which has moved is answered at once', async () => {
  const sandbox = await startSandbox()
  await using remote = connectSandbox(sandbox.url)
  const { id, revision } = await remote.scenarios.arm({
    name: 'A',
    steps: [{ await: 'par' }, { await: 'jwks' }],
  })
  expect(revision).toBe(0)
  await createRelyingParty(sandbox).push()
  // A client that left 0 out would wait for a minute, longer than a test may take.
  const moved = await remote.scenarios.get(id, { waitSeconds: 60, after: 0 })
  expect(moved.revision).toBe(1)
})

test('connectSandbox hands over timeoutSeconds: 0, so that a flow which goes on has not ended', async () => {
  const sandbox = await startSandbox()
  await using remote = connectSandbox(sandbox.url)
  await sandbox.request.get('/v1/oidc/use').query(useRequest()).expect(200)
  expect(await remote.flows.last()).toMatchObject({ status: 'waiting' })
  await expect(remote.flows.ended({ since: 'f0', timeoutSeconds: 0 })).rejects.toThrow(
    'no flow ended within 0 s after f0',
  )
})

test('connectSandbox hands over an advance of 0 seconds', async () => {
  await using remote = connectSandbox((await startSandbox()).url)
  await remote.clock.advance(60)
  expect(await remote.clock.advance(0)).toMatchObject({ advanced_seconds: 60 })
})

test('connectSandbox hands over slowReplySeconds: 0, the second time too', async () => {
  const sandbox = await startSandbox()
  await using remote = connectSandbox(sandbox.url)
  const shown = async () => {
    const answer = await sandbox.request.get('/_sandbox/tenants/default')
    return answer.body.slow_reply_seconds
  }
  await remote.configure({ slowReplySeconds: 0 })
  expect(await shown()).toBe(0)
  await remote.configure({ slowReplySeconds: 9 })
  expect(await shown()).toBe(9)
  await remote.configure({ slowReplySeconds: 0 })
  expect(await shown()).toBe(0)
})

test('connectSandbox hands over limit: 0, which the sandbox refuses', async () => {
  await using remote = connectSandbox((await startSandbox()).url)
  await expect(remote.flows.list({ limit: 0 })).rejects.toThrow(
    'limit: must be a whole number from 1 to 2000',
  )
})

test('A tenant of connectSandbox is driven a second time after its reset', async () => {
  const sandbox = await startSandbox()
  await using remote = connectSandbox(sandbox.url)
  const tenant = remote.tenant('second')
  for (const time of ['first', 'second']) {
    await tenant.clock.advance(91)
    await tenant.next({ persona: 'teen-16' })
    await tenant.configure({ persona: 'child-12' })
    await tenant.keys.rotate('publish')
    expect((await tenant.clock.state()).advanced_seconds, time).toBe(91)
    expect(await tenant.expectations.list(), time).toHaveLength(1)
    await tenant.reset()
    expect((await tenant.clock.state()).advanced_seconds, time).toBe(0)
    expect(await tenant.expectations.list(), time).toEqual([])
  }
})

test('connectSandbox waits for the next flow by its first call, which the code of the control API is loaded for', async () => {
  const { url } = await startSandbox()
  await sendUse(url, { state: 'earlier', sandbox_persona: 'teen-16' })
  const flow = connectSandbox(url).flows.ended()
  await sendUse(url, { state: 'later', sandbox_persona: 'teen-16' })
  expect(await flow).toMatchObject({ state: 'later' })
})

test.each([
  [
    'http://localhost:2435',
    { controlToken: '' },
    'controlToken: expected one or more printable ASCII characters',
  ],
  [
    'http://localhost:2435',
    { controlTokn: 'x' },
    'controlTokn: unknown key. Did you mean "controlToken"?',
  ],
  ['localhost:2435', {}, '"localhost:2435" is not a URL like http://localhost:2435'],
])('connectSandbox refuses %s with %j at once', (url, options, message) => {
  expect(() => connectSandbox(url, options as object)).toThrow(`connectSandbox: ${message}`)
})

test('connectSandbox makes a tenant with its first call', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'right' })
  const url = sandbox.url.replace('0.0.0.0', '127.0.0.1')
  const keySetOf = async (name: string) =>
    (await fetch(`${url}/t/${name}/.well-known/jwks.json`)).status
  expect(await keySetOf('one')).toBe(404)
  await connectSandbox(`${url}/`, { controlToken: 'right' })
    .tenant('one')
    .next({ persona: 'teen-16' })
  expect(await keySetOf('one')).toBe(200)
})

test('connectSandbox removes a tenant', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'right' })
  const url = sandbox.url.replace('0.0.0.0', '127.0.0.1')
  const keySetOf = async (name: string) =>
    (await fetch(`${url}/t/${name}/.well-known/jwks.json`)).status
  const two = connectSandbox(`${url}/t/two`, { controlToken: 'right' })
  expect(await two.expectations.list()).toEqual([])
  await two.clock.advance(3)
  const advanced = async () => (await sandbox.tenant('two').clock.state()).advanced_seconds
  expect(await advanced()).toBe(3)
  await two.removeTenant('two')
  expect(await keySetOf('two')).toBe(404)
  expect(await advanced()).toBe(0)
})

test('connectSandbox rejects without the control token', async () => {
  const sandbox = await startSandbox({ host: '0.0.0.0', controlToken: 'right' })
  const url = sandbox.url.replace('0.0.0.0', '127.0.0.1')
  await expect(connectSandbox(url).tenant('three').reset()).rejects.toMatchObject({ status: 401 })
})

test('connectSandbox makes a tenant with a later call when the first one found no sandbox', async () => {
  const port = await findFreePort()
  const tenant = connectSandbox(`http://127.0.0.1:${port}`).tenant('one')
  await expect(tenant.reset()).rejects.toMatchObject({ error: 'unreachable' })
  await startSandbox({ port })
  await tenant.reset()
})

test('connectSandbox rejects with the refusal of the sandbox', async () => {
  const { url } = await startSandbox()
  const unknown = {
    status: 400,
    error: 'invalid_request',
    suggestions: expect.arrayContaining(['teen-16']),
  }
  const refused = connectSandbox(url).next({ persona: 'teen-61' })
  await expect(refused).rejects.toMatchObject({ name: 'SandboxError', ...unknown })
})

test('connectSandbox names an address where nothing listens', async () => {
  const { url, close } = await startSandbox()
  await close()
  const remedy = `start a sandbox (npx agekey-sandbox --port ${new URL(url).port}), or give the address of one that runs`
  const unreachable = {
    status: 0,
    error: 'unreachable',
    message: `${url}: nothing listens there; ${remedy}`,
  }
  await expect(connectSandbox(url).reset()).rejects.toMatchObject({
    name: 'SandboxError',
    ...unreachable,
  })
})

test('connectSandbox says how a self-signed certificate is trusted', async () => {
  const { baseUrl } = await startSandbox({ https: true })
  const message = `${baseUrl}: its certificate is self-signed, and this machine does not trust it; set NODE_EXTRA_CA_CERTS to the file to trust, which for a certificate that the sandbox made is tls-certificate.pem in its state folder`
  await expect(connectSandbox(baseUrl).reset()).rejects.toMatchObject({
    error: 'unreachable',
    message,
  })
})
