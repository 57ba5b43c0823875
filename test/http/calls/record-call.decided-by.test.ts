import { expect, test } from 'vitest'
import { createRelyingParty } from '../../support/relying-party.ts'
import { useRequest } from '../../support/requests.ts'
import { startSandbox, type TestSandbox } from '../../support/sandbox.ts'

const decidedBy = async (sandbox: TestSandbox) => (await sandbox.flows.last())?.decided_by

const use = (sandbox: TestSandbox, headers: Readonly<Record<string, string>> = {}) =>
  sandbox.request.get('/v1/oidc/use').query(useRequest()).set(headers)

test('A flow names the query parameters that decided it', async () => {
  const sandbox = await startSandbox()
  await createRelyingParty(sandbox).use({ sandbox_persona: 'teen-16' })
  expect(await decidedBy(sandbox)).toBe('query parameter sandbox_persona')
})

test('A flow names the sources of persona and outcome apart when they differ', async () => {
  const sandbox = await startSandbox()
  await sandbox.next({ outcome: 'id_token.expired' })
  await use(sandbox, { 'X-Sandbox-Persona': 'teen-16' })
  expect(await decidedBy(sandbox)).toMatch(
    /^request header X-Sandbox-Persona; outcome by expectation \S+ \(now used up\)$/,
  )
})

test('A flow says that no persona was named when an outcome took its usual one', async () => {
  const sandbox = await startSandbox()
  await use(sandbox, { 'X-Sandbox-Outcome': 'verified' })
  expect(await decidedBy(sandbox)).toBe(
    'request header X-Sandbox-Outcome; persona adult-passport, because none is named',
  )
})

test('A flow names the default and the cookie that decided it', async () => {
  const sandbox = await startSandbox({ persona: 'teen-16' })
  await use(sandbox)
  expect(await decidedBy(sandbox)).toBe('the default of the sandbox')
  await use(sandbox, { Cookie: 'agekey_sandbox_persona=child-12' })
  expect(await decidedBy(sandbox)).toBe('cookie agekey_sandbox_persona')
})

test('A flow names the header that forced the reply of a later call', async () => {
  const sandbox = await startSandbox()
  await sandbox.request.post('/v1/oidc/create/par').set('X-Sandbox-Outcome', 'par.401').type('form').send({})
  expect(await decidedBy(sandbox)).toBe('request header X-Sandbox-Outcome')
})

test('A flow that waits, and one that was refused, names nothing', async () => {
  const sandbox = await startSandbox()
  await use(sandbox)
  expect(await decidedBy(sandbox)).toBeUndefined()
  await sandbox.request.get('/v1/oidc/use').query(useRequest({ nonce: undefined }))
  expect(await decidedBy(sandbox)).toBeUndefined()
})
