import { expect, test } from 'vitest'
import { createLocalTransport } from '../../../src/server/client/local-transport.ts'
import { Refusal } from '../../../src/service/oidc/refusal.ts'

const noFlows = async () => 'f0'

test('A refused call of a sandbox in the process rejects with a SandboxError', async () => {
  const refusal = Refusal.unknownName({
    source: 'persona',
    kind: 'persona',
    name: 'teen-61',
    known: ['teen-16'],
  })
  const { call } = createLocalTransport(() => Promise.reject(refusal), noFlows)
  const rejection = {
    message: refusal.message,
    status: 400,
    error: 'invalid_request',
    suggestions: ['teen-16'],
  }
  await expect(call('reset', {})).rejects.toMatchObject({ name: 'SandboxError', ...rejection })
})

test('A defect of a sandbox in the process rejects with the error itself, so that its stack names the place', async () => {
  const defect = new TypeError('x is not a function')
  await expect(
    createLocalTransport(() => Promise.reject(defect), noFlows).call('reset', {}),
  ).rejects.toBe(defect)
})
