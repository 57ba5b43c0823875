import { expect, test } from 'vitest'
import { startSandbox } from '../support/sandbox.ts'

test('a caller that changes a result does not change what the sandbox holds', async () => {
  const sandbox = await startSandbox()
  const expectation = await sandbox.next({ outcome: 'access_denied', match: { state: 'a' } })
  expectation.remaining = 99
  if (expectation.match) expectation.match.state = 'b'
  expect(await sandbox.expectations.list()).toEqual([{ ...expectation, remaining: 1, match: { state: 'a' } }])
  const persona = await sandbox.personas.get('teen-16')
  persona.age_key?.signals.splice(0)
  expect((await sandbox.personas.get('teen-16')).age_key?.signals).not.toEqual([])
})

test('a decision without a flow is for the flow that has its outcome, Use first', async () => {
  const sandbox = await startSandbox()
  const flowOf = async (outcome: string) => (await sandbox.next({ outcome })).flow
  expect(await flowOf('access_denied')).toBe('use')
  expect(await flowOf('created')).toBe('create')
})

test('removing a tenant that does not exist, or the one at the base URL, rejects with a SandboxError', async () => {
  const sandbox = await startSandbox()
  await sandbox.tenant('one').reset()
  await expect(sandbox.removeTenant('onee')).rejects.toMatchObject({
    name: 'SandboxError',
    status: 404,
    suggestions: ['one'],
  })
  await expect(sandbox.removeTenant('default')).rejects.toMatchObject({ name: 'SandboxError', status: 400 })
})
