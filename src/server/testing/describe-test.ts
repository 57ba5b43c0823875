import { isJsonObject, type JsonObject } from '../../age/json-object.ts'

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
