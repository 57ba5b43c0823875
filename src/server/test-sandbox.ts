import { randomUUID } from 'node:crypto'
import { connectSandbox } from '../client/connect-sandbox.ts'
import type { SandboxApi } from '../client/sandbox-api.ts'
import { createSandbox, type SandboxOptions } from './create-sandbox.ts'

/** A sandbox for the tests of one process: started there, or a tenant of one that runs already. */
export type TestSandboxOptions =
  | (SandboxOptions & { readonly url?: undefined })
  | {
      /** The base URL of a sandbox that runs already, for example in a container. */
      readonly url: string
      /** Asked for when that sandbox listens beyond loopback. */
      readonly controlToken?: string
    }

/** How tests drive a sandbox, and how they let it go. */
export interface OpenedSandbox {
  readonly api: SandboxApi
  close(): Promise<void>
}

/** Starts a sandbox, or takes a tenant of the one at `url` that no other process has. Closing removes either. */
export async function openTestSandbox(options: TestSandboxOptions): Promise<OpenedSandbox> {
  if (options.url === undefined) {
    const sandbox = await createSandbox(options)
    return { api: sandbox, close: () => sandbox.close() }
  }
  const { url, controlToken } = options
  const sandbox = connectSandbox(url, controlToken === undefined ? {} : { controlToken })
  const name = `test-${randomUUID()}`
  return { api: sandbox.tenant(name), close: () => sandbox.removeTenant(name) }
}
