import { randomUUID } from 'node:crypto'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { connectSandbox, findBaseUrl } from '../../server/client/connect-sandbox.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { createSandbox, type SandboxOptions } from '../../server/create-sandbox.ts'
import { isJsonObject, type JsonObject } from '../../service/age/json-object.ts'
import { quote } from '../../service/text/message-parts.ts'
import { COVERAGE_FOLDER, startCoverage } from './worker-coverage.ts'

/** A sandbox for the tests of one process, started there or running already. */
export type TestSandboxOptions = SandboxChoice & CoverageOptions

type SandboxChoice =
  | (SandboxOptions & { readonly url?: undefined; readonly ownTenant?: undefined })
  | RunningSandboxOptions

export interface CoverageOptions {
  /**
   * Whether to record what the tests have seen, for `agekey-sandbox coverage`: below the working
   * folder in `.agekey-coverage`, or in the named folder.
   */
  readonly coverage?: boolean | string
}

export interface RunningSandboxOptions {
  /** The base URL of a running sandbox, or of a tenant of it, which the app under test uses. */
  readonly url: string
  /** Required when that sandbox can be reached from other machines. */
  readonly controlToken?: string
  /**
   * Creates a tenant for these tests and removes it afterwards: for apps that take their base URL
   * from `sandbox.baseUrl`. Without a tenant the tests drive the sandbox at `url` itself, one file
   * or worker at a time.
   */
  readonly ownTenant?: boolean
}

/** A sandbox for tests, and a function that closes it. */
export interface OpenedSandbox {
  readonly api: SandboxApi
  /** @param worker what used the sandbox within the run: a test file, or a worker process */
  close(worker?: string): Promise<void>
}

/**
 * Starts a sandbox, or uses the one at `url`. `close` keeps the coverage first, and does not stop a
 * sandbox at `url`.
 * @param runner the name of a folder: one runner never removes files of another
 */
export async function openTestSandbox(
  { coverage = false, ...options }: TestSandboxOptions,
  runner = 'tests',
): Promise<OpenedSandbox> {
  const folder = folderOf(coverage)
  const { api, close } = await open(options)
  if (folder === undefined) return { api, close }
  const sharedUrl = options.url === undefined || options.ownTenant ? undefined : api.baseUrl
  const started = startCoverage(api, { folder, runner, sharedUrl })
  const kept = await started.catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { api, close: (worker) => kept.write(worker).finally(close) }
}

/** @throws ConfigError for an invalid folder */
function folderOf(coverage: unknown): string | undefined {
  if (typeof coverage === 'boolean') return coverage ? COVERAGE_FOLDER : undefined
  if (typeof coverage === 'string' && coverage !== '') return coverage
  const given = typeof coverage === 'string' ? quote(coverage) : String(coverage)
  throw ConfigError.of(`coverage: ${given} is neither true or false, nor the name of a folder`)
}

async function open(options: SandboxChoice): Promise<{ api: SandboxApi; close(): Promise<void> }> {
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

/**
 * Finds the file of a test; `undefined` when the runner does not tell.
 * @param context the argument of `afterEach`: in Vitest an object with the task, in Jest nothing
 */
export function testFileOf(context: unknown): string | undefined {
  if (!isContext(context)) return testPathOfJest()
  const { task } = context
  if (!isJsonObject(task) || !isJsonObject(task['file'])) return undefined
  return textOf(task['file']['filepath'])
}

/** The context of Vitest is a function. */
const isContext = (value: unknown): value is JsonObject =>
  typeof value === 'function' || isJsonObject(value)

/** In Jest the global `expect` knows the running test. */
function testPathOfJest(): string | undefined {
  const expect: unknown = Reflect.get(globalThis, 'expect')
  const getState =
    typeof expect === 'function' && 'getState' in expect ? expect.getState : undefined
  const state: unknown = typeof getState === 'function' ? getState() : undefined
  return isJsonObject(state) ? textOf(state['testPath']) : undefined
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
