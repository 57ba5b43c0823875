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
   * Whether to record which answers each test has seen, for `agekey-sandbox coverage`: below the
   * working folder in `.agekey-coverage`, or in the named folder.
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
  /** Whether its coverage is kept, so that it must be told which test runs. */
  readonly isCovered: boolean
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
  if (folder === undefined) return { api, isCovered: false, close }
  const sharedUrl = options.url === undefined || options.ownTenant ? undefined : api.baseUrl
  const started = startCoverage(api, { folder, runner, sharedUrl })
  const kept = await started.catch(async (error: unknown) => {
    await close()
    throw error
  })
  return { api, isCovered: true, close: (worker) => kept.write(worker).finally(close) }
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

/** A test as its runner names it. */
interface DescribedTest {
  /** `suite > test`; absent when the runner does not tell. */
  readonly name?: string | undefined
  readonly file?: string | undefined
}

/**
 * Describes the test that begins.
 * @param context the argument of `beforeEach`: in Vitest an object with the task, in node:test the
 * context of the test, in Jest nothing
 */
export function describeTest(context: unknown): DescribedTest {
  if (!isContext(context)) return describeByExpect()
  const { task } = context
  if (!isJsonObject(task)) return { name: textOf(context['fullName']) ?? textOf(context['name']) }
  const file = isJsonObject(task['file']) ? textOf(task['file']['filepath']) : undefined
  return { name: namesOf(task).join(' > '), file }
}

/** The context of Vitest is a function. */
const isContext = (value: unknown): value is JsonObject =>
  typeof value === 'function' || isJsonObject(value)

/** The names of a Vitest task and of its suites, without the file. */
function namesOf(task: unknown): string[] {
  // The name of a file is its path.
  if (!isJsonObject(task) || 'filepath' in task) return []
  return [...namesOf(task['suite']), String(task['name'])]
}

/** In Jest the global `expect` knows the running test. */
function describeByExpect(): DescribedTest {
  const expect: unknown = Reflect.get(globalThis, 'expect')
  const getState =
    typeof expect === 'function' && 'getState' in expect ? expect.getState : undefined
  const state: unknown = typeof getState === 'function' ? getState() : undefined
  if (!isJsonObject(state)) return {}
  return { name: textOf(state['currentTestName']), file: textOf(state['testPath']) }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)
