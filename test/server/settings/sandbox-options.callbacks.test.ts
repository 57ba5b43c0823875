import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../../src/server/create-sandbox.ts'

/**
 * Calls a sandbox twice. Returns the rejections that no one handles meanwhile: outside a test each
 * ends its process.
 */
async function callTwice(options: SandboxOptions): Promise<readonly unknown[]> {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  await using sandbox = await createSandbox(options)
  for (let n = 0; n < 2; n++)
    expect((await fetch(`${sandbox.baseUrl}/_sandbox/health`)).status).toBe(200)
  await turn()
  return unhandled
}

const throws = (message: string) => () => {
  throw new Error(message)
}
const rejects = (message: string) => async () => {
  throw new Error(message)
}

test.each([
  ['throws', throws],
  ['rejects', rejects],
])('A callback that %s is reported to onError', async (_how, fails) => {
  const errors: unknown[] = []
  const unhandled = await callTwice({
    builtinClient: false,
    onWarning: fails('of onWarning'),
    onCall: fails('of onCall'),
    onError: (error) => errors.push(error),
  })
  expect(errors).toEqual([
    new Error('of onWarning'),
    new Error('of onCall'),
    new Error('of onCall'),
  ])
  expect(unhandled).toEqual([])
})

const FAILING: readonly (readonly [string, SandboxOptions])[] = [
  ['an onError that throws', { onCall: throws('of onCall'), onError: throws('of onError') }],
  ['an onError that rejects', { onCall: rejects('of onCall'), onError: rejects('of onError') }],
  ['no onError', { onCall: rejects('of onCall') }],
]

test.each(FAILING)('With %s the sandbox goes on', async (_case, options) => {
  expect(await callTwice(options)).toEqual([])
})
