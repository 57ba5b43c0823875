import { readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../src/', import.meta.url))

/** Source files by their path below `src/`, without comments: what a comment says is no code. */
const files: ReadonlyMap<string, string> = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => [path.split(sep).join('/'), withoutComments(readFileSync(`${ROOT}${path}`, 'utf8'))]),
)

/** What the domain and the edge may import: each room knows those below it. */
const SERVED = ['http', 'sandbox', 'oidc', 'age', 'files']

/** What each room may import besides itself, type imports included: the floor plan of docs/architecture.md. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  server: ['client', 'backchannel', 'hosted', 'console', 'demo', 'control', ...SERVED, 'store', 'tls', 'config'],
  client: ['control', 'config', 'sandbox', 'oidc', 'age', 'files'],
  backchannel: SERVED,
  hosted: SERVED,
  console: SERVED,
  demo: SERVED,
  control: SERVED,
  http: ['sandbox', 'oidc', 'age', 'files'],
  sandbox: ['oidc', 'age', 'files'],
  oidc: ['age'],
  age: [],
  store: ['sandbox', 'oidc', 'age', 'files'],
  tls: ['sandbox', 'files'],
  config: ['sandbox', 'oidc', 'age', 'store', 'files'],
  files: ['age'],
}

/** Entry points and the root of the package stand beside the rooms. */
const BESIDE = ['index.ts', 'package-root.ts', 'playwright.ts', 'vitest.ts']

interface Import {
  readonly from: string
  readonly to: string
  /** It is gone when the program runs. */
  readonly isTypeOnly: boolean
}

const imports: readonly Import[] = [...files].flatMap(([from, text]) =>
  [...text.matchAll(/(?:(?:import|export) (type )?[^'"]*?from |import\()'(\.[^']+)'/g)].map(
    ([, type, target = '']) => ({
      from,
      to: posix.normalize(posix.join(posix.dirname(from), target)),
      isTypeOnly: type !== undefined,
    }),
  ),
)

/** `oidc/use.ts` is in the room `oidc`; a file beside the rooms is a room of its own. */
const roomOf = (path: string) => path.split('/')[0] ?? path
const arrow = ({ from, to }: Import) => `${from} -> ${to}`

describe('The architecture', () => {
  test('is read from the imports of every file', () => {
    expect(imports.length).toBeGreaterThan(files.size)
    expect(imports.filter(({ to }) => to.endsWith('.ts') && !files.has(to)).map(arrow)).toEqual([])
  })

  test.each(Object.entries(ROOMS))('lets %s import only %j', (room, allowed) => {
    const outside = imports.filter(({ from, to }) => roomOf(from) === room && roomOf(to) !== room)
    const forbidden = outside.filter(({ to }) => !allowed.includes(roomOf(to)) && to !== 'package-root.ts').map(arrow)
    expect(forbidden).toEqual([])
  })

  test('has no room that nobody planned', () => {
    const rooms = new Set([...files.keys()].map(roomOf))
    expect([...rooms].sort()).toEqual([...Object.keys(ROOMS), ...BESIDE, 'cli'].sort())
  })

  test('lets client import the contract of the control API, and nothing of what serves it', () => {
    const fromClient = imports.filter(({ from, to }) => roomOf(from) === 'client' && roomOf(to) === 'control')
    expect(fromClient.length).toBeGreaterThan(0)
    expect(fromClient.filter(({ to }) => !to.startsWith('control/contract/')).map(arrow)).toEqual([])
  })

  test('lets the contract of the control API import nothing of what serves it', () => {
    const outside = imports.filter(
      ({ from, to }) => from.startsWith('control/contract/') && !to.startsWith('control/contract/'),
    )
    const allowed = ROOMS['client'] ?? []
    expect(outside.filter(({ to }) => roomOf(to) === 'control' || !allowed.includes(roomOf(to))).map(arrow)).toEqual([])
  })

  test('lets nothing import the command line', () => {
    const callers = imports.filter(({ from, to }) => roomOf(to) === 'cli' && roomOf(from) !== 'cli')
    expect(callers.map(arrow)).toEqual([])
  })

  test('has no cycle of files: each can be read before those that import it', () => {
    const graph = new Map<string, string[]>()
    for (const { from, to, isTypeOnly } of imports) {
      if (!isTypeOnly) graph.set(from, [...(graph.get(from) ?? []), to])
    }
    expect(findCycle(graph)?.join(' -> ')).toBeUndefined()
  })
})

describe('Only one place', () => {
  const placesOf = (pattern: RegExp) =>
    [...files]
      .filter(([, text]) => pattern.test(text))
      .map(([path]) => path)
      .sort()

  test('reads the environment: config/load-settings.ts', () => {
    expect(placesOf(/process\.env/)).toEqual(['config/load-settings.ts'])
  })

  test('reads the time: sandbox/clock/clock.ts', () => {
    expect(placesOf(/Date\.now|new Date\(\)|performance\.now|process\.(?:hrtime|uptime)/)).toEqual([
      'sandbox/clock/clock.ts',
    ])
  })

  test('writes to a response: http/reply.ts', () => {
    const writes = /\b(?:res|response)\.(?:writeHead|write|end|send|json|status|redirect|setHeader|sendStatus|cookie)\(/
    expect(placesOf(writes)).toEqual(['http/reply.ts'])
  })

  test('prints: the command line', () => {
    const printing = placesOf(/\bconsole\.\w+\(|process\.(?:stdout|stderr)/)
    expect(printing.length).toBeGreaterThan(0)
    expect(printing.filter((path) => roomOf(path) !== 'cli')).toEqual([])
  })
})

describe('No file', () => {
  test.each([
    ['has a default export', /^export default /m],
    ['has the type any', /(?:: |<|as )any\b/],
    ['passes everything of another file on', /^export \* from /m],
  ])('%s', (_what, pattern) => {
    expect([...files].filter(([, text]) => pattern.test(text)).map(([path]) => path)).toEqual([])
  })

  test('is called utils or helpers', () => {
    expect([...files.keys()].filter((path) => /(?:^|\/)(?:utils?|helpers?|common|misc)(?:\.ts|\/)/.test(path))).toEqual(
      [],
    )
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

/** A way from a file back to itself, or `undefined`. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>()
  const visit = (path: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path]
    if (done.has(path)) return undefined
    for (const next of graph.get(path) ?? []) {
      const cycle = visit(next, [...way, path])
      if (cycle) return cycle
    }
    done.add(path)
    return undefined
  }
  for (const path of graph.keys()) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return undefined
}
