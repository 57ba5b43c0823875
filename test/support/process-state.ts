/** Functions that tests replace: a clock, a network, a source of chance. */
const REPLACED = {
  globals: [
    'Date',
    'setTimeout',
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'queueMicrotask',
    'fetch',
  ],
  Math: ['random'],
  performance: ['now'],
  crypto: ['randomUUID', 'getRandomValues'],
  console: ['log', 'info', 'warn', 'error', 'debug'],
  process: ['exit', 'kill', 'emitWarning', 'memoryUsage', 'hrtime', 'nextTick'],
} as const

/**
 * What test files that share a process could change for each other. `leaves-no-trace.ts` compares
 * it around each file.
 */
export function processState(): Readonly<Record<string, unknown>> {
  return {
    environment: { ...process.env },
    workingFolder: process.cwd(),
    exitCode: process.exitCode,
    umask: process.umask(),
    listeners: Object.fromEntries(
      process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    ),
    globals: Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__')),
    functions: Object.entries(REPLACED).flatMap(([owner, names]) =>
      names.map((name) => [`${owner}.${name}`, identityOf(Reflect.get(ownerOf(owner), name))]),
    ),
  }
}

const ownerOf = (name: string): object =>
  name === 'globals' ? globalThis : Reflect.get(globalThis, name)

const seen: unknown[] = []

/** A number for a value: the same value has the same number. */
function identityOf(value: unknown): number {
  const index = seen.indexOf(value)
  return index === -1 ? seen.push(value) - 1 : index
}
