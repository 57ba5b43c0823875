import { randomUUID } from 'node:crypto'
import { connectSandbox, findBaseUrl } from '../client/connect-sandbox.ts'
import type { SandboxApi } from '../client/sandbox-api.ts'
import { createSandbox, type SandboxOptions } from './create-sandbox.ts'

/** A sandbox for the tests of one process: one that starts there, or one that runs already. */
export type TestSandboxOptions =
  | (SandboxOptions & { readonly url?: undefined; readonly ownTenant?: undefined })
  | RunningSandboxOptions

export interface RunningSandboxOptions {
  /** The base URL of a sandbox that runs already, or of a tenant of it: what the app under test is configured with. */
  readonly url: string
  /** Required when that sandbox can be reached from beyond its machine. */
  readonly controlToken?: string
  /**
   * Makes a tenant there that nothing else uses, and removes it afterwards: for apps that take their base URL from
   * `sandbox.baseUrl`. Without it the tests drive the sandbox at `url` itself, one file or worker at a time.
   */
  readonly ownTenant?: boolean
}

/** A sandbox for tests, and how to close it. */
export interface OpenedSandbox {
  readonly api: SandboxApi
  close(): Promise<void>
}

/** Starts a sandbox, or uses the one at `url`. `close` leaves that one running. */
export async function openTestSandbox(options: TestSandboxOptions): Promise<OpenedSandbox> {
  if (options.url === undefined) {
    const sandbox = await createSandbox(options)
    return { api: sandbox, close: () => sandbox.close() }
  }
  const { url, ownTenant = false, ...connection } = options
  const sandbox = connectSandbox(url, connection)
  const name = `test-${randomUUID()}`
  const api = ownTenant ? sandbox.tenant(name) : sandbox
  // An earlier run may have left something behind.
  await api.reset()
  const baseUrl = await findBaseUrl(api.baseUrl, connection)
  return {
    api: { ...api, baseUrl },
    close: async () => {
      if (ownTenant) await sandbox.removeTenant(name)
      await sandbox.close()
    },
  }
}
