import { readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../src/', import.meta.url))
const TESTS = fileURLToPath(new URL('./', import.meta.url))

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
  // Of these only the client, the catalogue, the rules and how files and names are read: a test below says so.
  audit: ['client', 'sandbox', 'oidc', 'age', 'files'],
  server: [
    'client',
    'backchannel',
    'hosted',
    'console',
    'demo',
    'control',
    'documents',
    'mcp',
    ...SERVED,
    'store',
    'tls',
    'config',
  ],
  mcp: ['client', 'control', 'documents', ...SERVED],
  client: ['control', 'config', 'sandbox', 'oidc', 'age', 'files'],
  backchannel: SERVED,
  hosted: SERVED,
  console: SERVED,
  demo: SERVED,
  documents: SERVED,
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

const MAX_ENTRIES = 16
/** Folders that hold more entries, each with the reason. */
const FULL_FOLDERS: Readonly<Record<string, string>> = {
  '': 'the rooms of the floor plan and five entry points',
  age: 'still to be divided',
  cli: 'one folder for each command, and what commands share',
  oidc: 'one file for each endpoint, and what the endpoints share',
  console: 'one entry for each page of the menu, and what the pages share',
  'sandbox/outcomes/rows': 'one file for each seam and call',
  store: 'the adapters of memory and of Redis, one file for each port',
}

/** Files that may hold a cast, each with the reason why a schema cannot prove the type. */
const CASTS: Readonly<Record<string, string>> = {
  'config/config-schema.ts': 'still to go',
  'files/camel-case.ts': 'the compiler cannot follow names that are computed',
  'sandbox/clients/mask.ts': 'a value of any shape keeps it',
  'oidc/request/parameters.ts': 'the compiler cannot follow names that are computed',
  'server/create-sandbox.ts': 'a server that listens on a port has an address',
}

/** Entry points and the root of the package stand beside the rooms. */
const BESIDE = ['audit.ts', 'index.ts', 'package-root.ts', 'playwright.ts', 'vitest.ts']

interface Import {
  readonly from: string
  readonly to: string
}

const imports: readonly Import[] = [...files].flatMap(([from, text]) =>
  [...text.matchAll(/(?:(?:import|export) [^'"]*?from |import\()'(\.[^']+)'/g)].map(([, target = '']) => ({
    from,
    to: posix.normalize(posix.join(posix.dirname(from), target)),
  })),
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

  test('has no room that is not planned', () => {
    const rooms = new Set([...files.keys()].map(roomOf))
    expect([...rooms].sort()).toEqual([...Object.keys(ROOMS), ...BESIDE, 'cli'].sort())
  })

  test('lets audit know the sandbox only through its client, its catalogue and its readings', () => {
    const known = [
      'client/',
      'sandbox/outcomes/',
      'sandbox/readings/',
      'oidc/rules/',
      'age/nearest.ts',
      'age/quote.ts',
      'files/',
    ]
    const outside = imports.filter(({ from, to }) => roomOf(from) === 'audit' && roomOf(to) !== 'audit')
    expect(outside.length).toBeGreaterThan(0)
    const isKnown = (to: string) => to === 'package-root.ts' || known.some((prefix) => to.startsWith(prefix))
    expect(outside.filter(({ to }) => !isKnown(to)).map(arrow)).toEqual([])
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

  test('loads by onDemand what is loaded later, so that a load that failed is tried again', () => {
    // A command is loaded once in a process, and a test runner is there already.
    const atOnce = [...files].filter(([path]) => !path.startsWith('cli/') && path !== 'vitest.ts')
    const loads = atOnce.flatMap(([path, text]) =>
      [...text.matchAll(/.*\bimport\('(?!node:)/g)].map(([line]) => [path, line]),
    )
    expect(loads.length).toBeGreaterThan(10)
    const inApp = "const { createPageRoutes } = await import('"
    expect(loads.filter(([, line = '']) => !/\bonDemand\(/.test(line) && !line.includes(inApp))).toEqual([])
  })

  test('lets nothing import the command line', () => {
    const callers = imports.filter(({ from, to }) => roomOf(to) === 'cli' && roomOf(from) !== 'cli')
    expect(callers.map(arrow)).toEqual([])
  })

  test('has no circle of files, type imports included: each can be read before those that import it', () => {
    expect(findCircles()).toEqual([])
  })
})

describe('A reader', () => {
  test('sees at most 16 entries in a folder', () => {
    const folders = new Map<string, Set<string>>()
    for (const path of files.keys()) {
      const parts = path.split('/')
      for (const [depth, entry] of parts.entries()) {
        const folder = parts.slice(0, depth).join('/')
        folders.set(folder, (folders.get(folder) ?? new Set()).add(entry))
      }
    }
    const full = [...folders].filter(([, entries]) => entries.size > MAX_ENTRIES).map(([folder]) => folder)
    expectOnly(full, Object.keys(FULL_FOLDERS))
  })
})

describe('A test', () => {
  /** Suites that test the whole product, or what is no source file. */
  const SUITES = ['browser', 'clients', 'conformance', 'docs', 'image', 'outcomes', 'package', 'rules', 'support']
  const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.test.ts') && path !== 'architecture.test.ts')

  const folders = new Set([...files.keys()].flatMap((path) => [posix.dirname(path)]))
  const exists = (path: string) => files.has(`${path}.ts`) || folders.has(path)

  test('stands at the path of what it tests: X/y.test.ts, X/y.topic.test.ts or X/y/topic.test.ts for X/y.ts', () => {
    const astray = tests.filter((path) => {
      const folder = posix.dirname(path)
      const [name = ''] = posix.basename(path).split('.')
      return !exists(posix.join(folder, name)) && !files.has(`${folder}.ts`)
    })
    expect(astray.filter((path) => !SUITES.includes(roomOf(path)))).toEqual([])
  })

  test('of age, oidc or sandbox starts no server: `npm run test:fast` runs these', () => {
    const domain = tests.filter((path) => ['age', 'oidc', 'sandbox'].includes(roomOf(path)))
    const server = /support\/(?:sandbox|http-client|browser-client|relying-party)\.ts|src\/server\/|\bfetch\(/
    expect(domain.length).toBeGreaterThan(30)
    expect(domain.filter((path) => server.test(readFileSync(`${TESTS}${path}`, 'utf8')))).toEqual([])
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

  test('reads the time: sandbox/clock/clock.ts, and the start of an audit, which is no time of a sandbox', () => {
    expect(placesOf(/Date\.now|new Date\(\)|performance\.now|process\.(?:hrtime|uptime)/)).toEqual([
      'audit/audit.ts',
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

  test('has a cast, but for `as const`', () => {
    const cast = /(?<=[\w)\]}]) as (?!const\b)(?:unknown|string|number|never|keyof|JWK|[A-Z]\w*[a-z]|\{|\()/
    const code = [...files].map(
      ([path, text]) => [path, text.replace(/'[^'\n]*'|^(?:im|ex)port [^']*from/gm, '')] as const,
    )
    const withoutKeys = (text: string) => text.replace(/\[\w+ in keyof [^\]]*\]/g, '')
    expectOnly(
      code.filter(([, text]) => cast.test(withoutKeys(text))).map(([path]) => path),
      Object.keys(CASTS),
    )
  })

  test('names a limit MOST_X: it is MAX_X', () => {
    expect([...files].filter(([, text]) => /\bMOST_/.test(text)).map(([path]) => path)).toEqual([])
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

/** What is found is what is allowed: what was put right leaves the list of exceptions. */
function expectOnly(found: readonly string[], allowed: readonly string[]): void {
  expect([...found].sort()).toEqual([...allowed].sort())
}

/** Files that reach themselves through their imports, grouped by circle. */
function findCircles(): readonly string[] {
  const graph = new Map<string, string[]>()
  for (const { from, to } of imports) graph.set(from, [...(graph.get(from) ?? []), to])
  const reach = new Map([...graph.keys()].map((path) => [path, reachedFrom(path, graph)]))
  const circles = [...reach.keys()]
    .filter((path) => reach.get(path)?.has(path))
    .map((path) => [...reach.keys()].filter((other) => reach.get(path)?.has(other) && reach.get(other)?.has(path)))
  return [...new Set(circles.map((circle) => circle.sort().join(' <-> ')))]
}

function reachedFrom(path: string, graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [path]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const to of graph.get(next) ?? []) {
      if (reached.has(to)) continue
      reached.add(to)
      open.push(to)
    }
  }
  return reached
}
