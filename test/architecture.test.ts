import { readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

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
const PAGES = ['backchannel', 'hosted', 'console', 'demo']

/** What each room may import besides itself, type imports included: the floor plan of docs/architecture.md. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  // Of these only the client, the catalogue, the rules and how files and names are read: a test below says so.
  audit: ['client', 'sandbox', 'oidc', 'age', 'files'],
  server: [...PAGES, 'control', 'client', 'documents', 'mcp', ...SERVED, 'store', 'tls', 'config'],
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

/** What each file imports. */
const graph = new Map(
  [...files.keys()].map((path) => [path, imports.filter(({ from }) => from === path).map(({ to }) => to)]),
)

/** `oidc/use.ts` is in the room `oidc`; a file beside the rooms is a room of its own. */
const roomOf = (path: string) => path.split('/')[0] ?? path
const arrow = ({ from, to }: Import) => `${from} -> ${to}`
/** What a room imports of others. */
const importsOf = (room: string) => imports.filter(({ from, to }) => roomOf(from) === room && roomOf(to) !== room)
/** The files whose code fits a pattern. */
const placesOf = (pattern: RegExp) => [...files].flatMap(([path, text]) => (pattern.test(text) ? [path] : [])).sort()

test('The architecture is read from the imports of every file', () => {
  expect(imports.length).toBeGreaterThan(files.size)
  expect(imports.filter(({ to }) => to.endsWith('.ts') && !files.has(to)).map(arrow)).toEqual([])
})

test.each(Object.entries(ROOMS))('The room %s of src imports only %j', (room, allowed) => {
  const forbidden = importsOf(room).filter(({ to }) => !allowed.includes(roomOf(to)) && to !== 'package-root.ts')
  expect(forbidden.map(arrow)).toEqual([])
})

test('Every room of src is planned', () => {
  const rooms = new Set([...files.keys()].map(roomOf))
  expect([...rooms].sort()).toEqual([...Object.keys(ROOMS), ...BESIDE, 'cli'].sort())
})

const KNOWN_TO_AUDIT = ['client/', 'sandbox/outcomes/', 'sandbox/readings/', 'oidc/rules/', 'files/']
const MODULES_KNOWN_TO_AUDIT = ['age/nearest.ts', 'age/quote.ts', 'package-root.ts']

test('The audit knows the sandbox only through its client, its catalogue and its readings', () => {
  const outside = importsOf('audit').map(({ to }) => to)
  expect(outside.length).toBeGreaterThan(0)
  const isKnown = (to: string) =>
    KNOWN_TO_AUDIT.some((start) => to.startsWith(start)) || MODULES_KNOWN_TO_AUDIT.includes(to)
  expect(outside.filter((to) => !isKnown(to))).toEqual([])
})

test('The client imports the contract of the control API, and nothing of what serves it', () => {
  const fromClient = importsOf('client').filter(({ to }) => roomOf(to) === 'control')
  expect(fromClient.length).toBeGreaterThan(0)
  expect(fromClient.filter(({ to }) => !to.startsWith('control/contract/')).map(arrow)).toEqual([])
})

test('The contract of the control API imports nothing of what serves it', () => {
  const isContract = (path: string) => path.startsWith('control/contract/')
  const outside = imports.filter(({ from, to }) => isContract(from) && !isContract(to))
  const allowed = ROOMS['client'] ?? []
  expect(outside.filter(({ to }) => roomOf(to) === 'control' || !allowed.includes(roomOf(to))).map(arrow)).toEqual([])
})

test('What is loaded later is loaded by onDemand, so that a load that failed is tried again', () => {
  // A command is loaded once in a process, and a test runner is there already.
  const atOnce = [...files].filter(([path]) => !path.startsWith('cli/') && path !== 'vitest.ts')
  const linesOf = ([path, text]: [string, string]) =>
    [...text.matchAll(/.*\bimport\('(?!node:)/g)].map(([line]) => `${path}: ${line}`)
  const loads = atOnce.flatMap(linesOf)
  expect(loads.length).toBeGreaterThan(10)
  const inApp = "const { createPageRoutes } = await import('"
  expect(loads.filter((load) => !/\bonDemand\(/.test(load) && !load.includes(inApp))).toEqual([])
})

test('Nothing imports the command line', () => {
  const callers = imports.filter(({ from, to }) => roomOf(to) === 'cli' && roomOf(from) !== 'cli')
  expect(callers.map(arrow)).toEqual([])
})

test('No files import each other in a circle, type imports included: each can be read before those that import it', () => {
  expect(findCircles()).toEqual([])
})

test('A folder of src has at most 16 entries', () => {
  const entries = [...files.keys()].flatMap((path) => {
    const parts = path.split('/')
    return parts.map((_, depth) => parts.slice(0, depth + 1).join('/'))
  })
  const folderOf = (entry: string) => (entry.includes('/') ? posix.dirname(entry) : '')
  const folders = [...new Set(entries)].map(folderOf)
  const isFull = (folder: string) => folders.filter((other) => other === folder).length > MAX_ENTRIES
  expectOnly([...new Set(folders)].filter(isFull), FULL_FOLDERS)
})

/** Suites that test the whole product, or what is no source file. */
const SUITES = ['browser', 'clients', 'conformance', 'docs', 'image', 'outcomes', 'package', 'rules', 'support']
const tests = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .map((path) => path.split(sep).join('/'))
  .filter((path) => path.endsWith('.test.ts') && path !== 'architecture.test.ts')

test('A test of X/y.ts stands at its path: X/y.test.ts, X/y.topic.test.ts or X/y/topic.test.ts', () => {
  const folders = new Set([...files.keys()].map((path) => posix.dirname(path)))
  const astray = tests.filter((path) => {
    const folder = posix.dirname(path)
    const place = posix.join(folder, posix.basename(path).split('.')[0] ?? '')
    return !files.has(`${place}.ts`) && !folders.has(place) && !files.has(`${folder}.ts`)
  })
  expect(astray.filter((path) => !SUITES.includes(roomOf(path)))).toEqual([])
})

test('A test of age, oidc or sandbox starts no server: `npm run test:fast` runs these', () => {
  const domain = tests.filter((path) => ['age', 'oidc', 'sandbox'].includes(roomOf(path)))
  const server = /support\/(?:sandbox|http-client|browser-client|relying-party)\.ts|src\/server\/|\bfetch\(/
  expect(domain.length).toBeGreaterThan(30)
  expect(domain.filter((path) => server.test(readFileSync(`${TESTS}${path}`, 'utf8')))).toEqual([])
})

const TIME = /Date\.now|new Date\(\)|performance\.now|process\.(?:hrtime|uptime)/
const WRITING = /\b(?:res|response)\.(?:writeHead|write|end|send|json|status|redirect|setHeader|sendStatus|cookie)\(/

test.each([
  ['reads the environment', /process\.env/, ['config/load-settings.ts']],
  // The start of an audit is no time of a sandbox.
  ['reads the time', TIME, ['audit/audit.ts', 'sandbox/clock/clock.ts']],
  ['writes to a response', WRITING, ['http/reply.ts']],
])('Only one place of src %s', (_what, pattern, places) => {
  expect(placesOf(pattern)).toEqual(places)
})

test('Only the command line prints', () => {
  expect([...new Set(placesOf(/\bconsole\.\w+\(|process\.(?:stdout|stderr)/).map(roomOf))]).toEqual(['cli'])
})

test.each([
  ['has a default export', /^export default /m],
  ['has the type any', /(?:: |<|as )any\b/],
  ['passes everything of another file on', /^export \* from /m],
  ['names a limit MOST_X: it is MAX_X', /\bMOST_/],
])('No file of src %s', (_what, pattern) => {
  expect(placesOf(pattern)).toEqual([])
})

test('No file of src has a cast, but for `as const`', () => {
  const cast = /(?<=[\w)\]}]) as (?!const\b)(?:unknown|string|number|never|keyof|JWK|[A-Z]\w*[a-z]|\{|\()/
  const others = /'[^'\n]*'|^(?:im|ex)port [^']*from|\[\w+ in keyof [^\]]*\]/gm
  const isCasting = ([, text]: readonly [string, string]) => cast.test(text.replace(others, ''))
  expectOnly(
    [...files].filter(isCasting).map(([path]) => path),
    CASTS,
  )
})

test('No file of src is called utils or helpers', () => {
  const isVague = /(?:^|\/)(?:utils?|helpers?|common|misc)(?:\.ts|\/)/
  expect([...files.keys()].filter((path) => isVague.test(path))).toEqual([])
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')
}

/** What is found is what is allowed: what was put right leaves the list of exceptions. */
function expectOnly(found: readonly string[], allowed: Readonly<Record<string, string>>): void {
  expect([...found].sort()).toEqual(Object.keys(allowed).sort())
}

/** Files that reach themselves through their imports, grouped by circle. */
function findCircles(): readonly string[] {
  const reach = new Map([...files.keys()].map((path) => [path, reachedFrom(path)]))
  const inCircle = [...reach.keys()].filter((path) => reach.get(path)?.has(path)).sort()
  const circles = inCircle.map((path) =>
    inCircle.filter((other) => reach.get(path)?.has(other) && reach.get(other)?.has(path)),
  )
  return [...new Set(circles.map((circle) => circle.join(' <-> ')))]
}

function reachedFrom(path: string): ReadonlySet<string> {
  const reached = new Set<string>()
  const visit = (from: string) => {
    for (const to of graph.get(from) ?? []) {
      if (reached.has(to)) continue
      reached.add(to)
      visit(to)
    }
  }
  visit(path)
  return reached
}
