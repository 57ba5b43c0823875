import { expect, test } from 'vitest'
import { byTestId, textOf } from '../../support/markup.ts'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

const push = (sandbox: TestSandbox, traceparent: string) =>
  sandbox.request.post('/v1/oidc/create/par').set('traceparent', traceparent).type('form').send({})

const lastCall = async (sandbox: TestSandbox) => (await sandbox.flows.last())?.calls.at(-1)

test('The journal records the traceparent of a server call, and the text search finds it', async () => {
  const sandbox = await startSandbox()
  await push(sandbox, TRACEPARENT)
  expect((await lastCall(sandbox))?.traceparent).toBe(TRACEPARENT)
  expect(await sandbox.flows.list({ q: '4bf92f3577b34da6a3ce929d0e0e4736' })).toHaveLength(1)
  expect(await sandbox.flows.list({ q: 'ffffffffffffffff' })).toHaveLength(0)
})

test('The page of a flow shows the traceparent of its server call', async () => {
  const sandbox = await startSandbox()
  await push(sandbox, TRACEPARENT)
  const page = await sandbox.request.get('/_sandbox/console/flows/f1')
  expect(byTestId(page.text, 'traceparent')).toHaveLength(1)
  expect(textOf(page.text)).toContain(`traceparent ${TRACEPARENT}`)
})

test.each([
  ['all zeros as trace-id', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
  ['all zeros as parent-id', `00-4bf92f3577b34da6a3ce929d0e0e4736-${'0'.repeat(16)}-01`],
  ['version ff', 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
  ['capitals', TRACEPARENT.toUpperCase()],
  ['free text', 'sk_test_sandbox'],
])('The journal records no traceparent with %s', async (_, traceparent) => {
  const sandbox = await startSandbox()
  await push(sandbox, traceparent)
  expect(await lastCall(sandbox)).not.toHaveProperty('traceparent')
})

test('The journal records no traceparent of a browser', async () => {
  const sandbox = await startSandbox({ persona: 'teen-16' })
  await sandbox.request.get('/v1/oidc/use').query(useRequest()).set('traceparent', TRACEPARENT)
  expect(await lastCall(sandbox)).not.toHaveProperty('traceparent')
})

test('A call names what decided it alone, also when an outcome of a later call was decided with it', async () => {
  const sandbox = await startSandbox()
  const query = {
    ...useRequest({ scope: 'openid svc.upgrade' }),
    sandbox_persona: 'teen-16',
    sandbox_outcome: 'token.500',
  }
  await sandbox.request.get('/v1/oidc/use').query(query)
  expect((await sandbox.flows.last())?.outcome).toBe('token.500')
  expect((await lastCall(sandbox))?.decision).toEqual({
    persona: 'teen-16',
    outcome: 'code_issued',
    decided_by: 'query parameter sandbox_persona; outcome by query parameter sandbox_outcome',
  })
})

test('A call says how the clock was moved, and nothing in real time', async () => {
  const sandbox = await startSandbox()
  const use = () => createRelyingParty(sandbox).use({ sandbox_persona: 'teen-16' })
  await use()
  expect(await lastCall(sandbox)).not.toHaveProperty('clock')
  await sandbox.clock.advance(91.5)
  await use()
  expect((await lastCall(sandbox))?.clock).toEqual({ advanced_seconds: 91.5 })
  await sandbox.clock.set('2030-01-02T03:04:05Z')
  await sandbox.clock.freeze()
  await use()
  expect((await lastCall(sandbox))?.clock).toEqual({ base: expect.stringMatching(/^2030-01-02T03:04:0/), frozen: true })
})
