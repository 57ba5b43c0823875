import { randomUUID } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../age/json-object.ts'
import { connectSandbox, findBaseUrl } from '../../client/connect-sandbox.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { ConfigError } from '../../files/config-error.ts'
import { quote } from '../../text/message-parts.ts'
import { createSandbox, type SandboxOptions } from '../create-sandbox.ts'
import { COVERAGE_FOLDER, startCoverage } from './worker-coverage.ts'

/** A sandbox for the tests of one process: one that starts there, or one that runs already. */
export type TestSandboxOptions = SandboxChoice & CoverageOptions

type SandboxChoice =
  | (SandboxOptions & { readonly url?: undefined; readonly ownTenant?: undefined })
  | RunningSandboxOptions

export interface CoverageOptions {
  /**
   * Whether to keep what was delivered to the app, and to which tests, for `agekey-sandbox coverage`: in the folder
   * `.agekey-coverage` of the working folder, or in the one that is named here.
   */
  readonly coverage?: boolean | string
}

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
  /** Whether its coverage is kept, so that it has to know which test runs. */
  readonly isCovered: boolean
  /** @param worker what used the sandbox, within its run of tests: a test file, or a worker process */
  close(worker?: string): Promise<void>
}

/**
 * Starts a sandbox, or uses the one at `url`. `close` leaves that one running, and keeps the coverage first.
 * @param runner the name of a folder, so that one runner does not remove what another one left
 */
export async function openTestSandbox(
  { coverage = false, ...options }: TestSandboxOptions,
  runner = 'tests',
): Promise<OpenedSandbox> {
  const folder = folderOf(coverage)
  const { api, close } = await open(options)
  if (folder === undefined) return { api, isCovered: false, close }
  const sharedUrl = options.url === undefined || options.ownTenant ? undefined : api.baseUrl
  const started = startCoverage(api, { folder, runner, sharedUrl })
  const kept = await started.catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { api, isCovered: true, close: (worker) => kept.write(worker).finally(close) }
}

/** @throws ConfigError for what is no folder */
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

/** A test as its runner names it. */
interface DescribedTest {
  /** `suite > test`; absent when the runner does not say. */
  readonly name?: string | undefined
  readonly file?: string | undefined
}

/**
 * Describes the test that begins.
 * @param context what the runner gives to `beforeEach`: Vitest an object with the task, node:test the context of the test, Jest nothing
 */
export function describeTest(context: unknown): DescribedTest {
  if (!isContext(context)) return describeByExpect()
  const { task } = context
  if (!isJsonObject(task)) return { name: textOf(context['fullName']) ?? textOf(context['name']) }
  const file = isJsonObject(task['file']) ? textOf(task['file']['filepath']) : undefined
  return { name: namesOf(task).join(' > '), file }
}

/** That of Vitest is a function. */
const isContext = (value: unknown): value is JsonObject => typeof value === 'function' || isJsonObject(value)

/** The names of a task of Vitest and of the suites around it, without the file. */
function namesOf(task: unknown): string[] {
  // Of a file this is the path.
  if (!isJsonObject(task) || 'filepath' in task) return []
  return [...namesOf(task['suite']), String(task['name'])]
}

/** In Jest `expect` is global, and knows the test that runs. */
function describeByExpect(): DescribedTest {
  const expect: unknown = Reflect.get(globalThis, 'expect')
  const getState = typeof expect === 'function' && 'getState' in expect ? expect.getState : undefined
  const state: unknown = typeof getState === 'function' ? getState() : undefined
  if (!isJsonObject(state)) return {}
  return { name: textOf(state['currentTestName']), file: textOf(state['testPath']) }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
