import { randomUUID } from 'node:crypto'
import { connectSandbox } from '../client/connect-sandbox.ts'
import type { SandboxApi } from '../client/sandbox-api.ts'
import { createSandbox, type SandboxOptions } from './create-sandbox.ts'

/** A sandbox for the tests of one process: one that starts there, or a tenant of one that runs already. */
export type TestSandboxOptions =
  | (SandboxOptions & { readonly url?: undefined })
  | {
      /** The base URL of a sandbox that runs already, for example in a container. */
      readonly url: string
      /** Required when that sandbox can be reached from beyond its machine. */
      readonly controlToken?: string
    }

/** A sandbox for tests, and how to close it. */
export interface OpenedSandbox {
  readonly api: SandboxApi
  close(): Promise<void>
}

/** Starts a sandbox, or uses a new tenant of the one at `url`. `close` stops the sandbox or removes the tenant. */
export async function openTestSandbox(options: TestSandboxOptions): Promise<OpenedSandbox> {
  if (options.url === undefined) {
    const sandbox = await createSandbox(options)
    return { api: sandbox, close: () => sandbox.close() }
  }
  const { url, controlToken } = options
  const sandbox = connectSandbox(url, controlToken === undefined ? {} : { controlToken })
  const name = `test-${randomUUID()}`
  const api = sandbox.tenant(name)
  // Made before the app calls it.
  await api.configure({})
  return { api, close: () => sandbox.removeTenant(name) }
}
