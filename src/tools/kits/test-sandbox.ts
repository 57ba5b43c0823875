import { randomUUID } from 'node:crypto'
import { ConfigError } from '../../sandbox/files/config-error.ts'
import { connectSandbox, findBaseUrl } from '../../server/client/connect-sandbox.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { createSandbox, type SandboxOptions } from '../../server/create-sandbox.ts'
import { isJsonObject, type JsonObject } from '../../service/age/json-object.ts'
import { quote } from '../../service/text/message-parts.ts'
import { COVERAGE_FOLDER, startCoverage } from './worker-coverage.ts'

/** A sandbox for the tests of one process: started in the process, or already running. */
export type TestSandboxOptions = SandboxChoice & CoverageOptions

type SandboxChoice =
  | (SandboxOptions & { readonly url?: undefined; readonly ownTenant?: undefined })
  | RunningSandboxOptions

export interface CoverageOptions {
  /**
   * Whether to record what the tests have seen, for `agekey-sandbox coverage`. `true` uses the
   * folder `.agekey-coverage` below the working folder; a text names another folder.
   */
  readonly coverage?: boolean | string
}

export interface RunningSandboxOptions {
  /** The base URL that the app under test uses: of a running sandbox or one of its tenants. */
  readonly url: string
  /** The control token. Required if other machines can reach the sandbox. */
  readonly controlToken?: string
  /**
   * Whether to create a tenant for these tests and remove it afterwards. The app must then take its
   * base URL from `sandbox.baseUrl`. Otherwise the tests drive the sandbox at `url` itself, and
   * only one test file or worker may run at a time.
   */
  readonly ownTenant?: boolean
}

/** A sandbox for tests, and a function that closes it. */
export interface OpenedSandbox {
  readonly api: SandboxApi
  /**
   * Writes the coverage, then closes the sandbox. A sandbox at `url` keeps running.
   * @param worker what used the sandbox in this run: a test file or a worker process
   */
  close(worker?: string): Promise<void>
}

/**
 * Starts a sandbox, or connects to the sandbox at `url`.
 * @param runner the test runner, which names the folder for its coverage files
 * @throws ConfigError for invalid options, SandboxError when the sandbox at `url` refuses
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
  // An earlier run may have left state behind.
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
 * Finds the file of a test; `undefined` if the runner does not provide it.
 * @param context the argument of `afterEach`: the test context in Vitest, `undefined` in Jest
 */
export function testFileOf(context: unknown): string | undefined {
  if (!isContext(context)) return testPathOfJest()
  const { task } = context
  if (!isJsonObject(task) || !isJsonObject(task['file'])) return undefined
  return textOf(task['file']['filepath'])
}

/** Whether a value can be a test context. In Vitest, the context is a function with members. */
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
