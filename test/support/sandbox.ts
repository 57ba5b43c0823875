import { afterAll, afterEach, beforeEach, expect, onTestFinished } from 'vitest'
import {
  type CallSummary,
  createSandbox,
  type Sandbox,
  type SandboxOptions,
} from '../../src/server/create-sandbox.ts'
import { createClient, type HttpClient } from './http-client.ts'
import { KEY_FILE } from './keys.ts'

/** A running sandbox with a client that talks to it and what it reported to its host. */
export interface TestSandbox extends Sandbox, HttpClient {
  readonly calls: readonly CallSummary[]
  readonly errors: readonly unknown[]
}

/**
 * Starts a sandbox on a free port for one test, closes it behind the test and fails the test on any
 * internal error.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await start(options)
  onTestFinished(async () => {
    await sandbox.close()
    expect(sandbox.errors).toEqual([])
  })
  return sandbox
}

/**
 * One sandbox for all tests of a file or a `describe`, reset before each: keys, tenants and
 * settings stay.
 */
export async function shareSandbox(options: SandboxOptions = {}): Promise<TestSandbox> {
  const { calls, errors, ...sandbox } = await start(options)
  beforeEach(async () => {
    await sandbox.reset()
    calls.length = 0
  })
  afterEach(() => expect(errors.splice(0)).toEqual([]))
  afterAll(() => sandbox.close())
  return { ...sandbox, calls, errors }
}

/**
 * The address of the sandbox for its callers: the base URL, unless the options set one that may
 * lead elsewhere.
 */
const usualAddress = ({ url, baseUrl }: Sandbox, options: SandboxOptions) =>
  options.baseUrl === undefined && options.host === undefined ? new URL(baseUrl).origin : url

async function start(options: SandboxOptions) {
  const calls: CallSummary[] = []
  const errors: unknown[] = []
  const sandbox = await createSandbox({
    keys: KEY_FILE,
    ...options,
    onCall: (it) => calls.push(it),
    onError: (it) => errors.push(it),
  })
  return { ...sandbox, ...createClient(usualAddress(sandbox, options)), calls, errors }
}
