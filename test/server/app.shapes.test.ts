import { Server } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSandbox } from '../../src/index.ts'

test('Express makes no new shape of the request or response of each call', async () => {
  setFlagsFromString('--allow-natives-syntax')
  const haveSameShape = new Function('one', 'other', 'return %HaveSameMap(one, other)')
  const emit = vi.spyOn(Server.prototype, 'emit')
  onTestFinished(() => emit.mockRestore())
  await using sandbox = await createSandbox()
  for (let n = 0; n < 5; n++)
    await (await fetch(`${sandbox.baseUrl}/v1/oidc/use/.well-known/openid-configuration`)).text()
  const calls = (emit.mock.calls as unknown[][]).filter(([event]) => event === 'request')
  expect(calls).toHaveLength(5)
  expect(haveSameShape(calls[3]?.[1], calls[4]?.[1])).toBe(true)
  expect(haveSameShape(calls[3]?.[2], calls[4]?.[2])).toBe(true)
})
