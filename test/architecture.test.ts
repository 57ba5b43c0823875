import { readdirSync, readFileSync } from 'node:fs'
import { posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../src/', import.meta.url))
const TESTS = fileURLToPath(new URL('./', import.meta.url))

/** Source files by their path below `src/`, without comments, which are no code. */
const files: ReadonlyMap<string, string> = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => {
      const text = readFileSync(`${ROOT}${path}`, 'utf8')
      return [path.split(sep).join('/'), text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')]
    }),
)

/** What the domain and the edge may import: each room knows those below it. */
const SERVED = ['server/http', 'sandbox', 'service/oidc', 'service/age', 'sandbox/files', 'service/text']
const PAGES = ['backchannel', 'server/pages', 'workbench/console', 'workbench/demo']

/** What each room may import besides itself, including types: the floor plan of docs/maintainers/architecture.md. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  // The audit knows a sandbox only by its client, its catalogue and its readings.
  audit: [
    ...['server/client', 'sandbox/outcomes', 'sandbox/readings', 'service/oidc', 'sandbox/files'],
    // Whether an address is this machine.
    'sandbox/addresses',
    'service/text',
    // Checks of values, and a stopwatch.
    'server/config/setting.ts',
    'sandbox/clock/clock.ts',
  ],
  server: [
    ...PAGES,
    'server/control',
    'server/client',
    'workbench/documents',
    'workbench/mcp',
    ...SERVED,
    'server/store',
    'server/tls',
    'server/config',
  ],
  'workbench/mcp': ['server/client', 'server/control', 'workbench/documents', ...SERVED],
  'server/client': [
    'server/control/contract',
    'server/config',
    'sandbox',
    'service/oidc',
    'service/age',
    'sandbox/files',
    'service/text',
  ],
  // The client becomes a part of an app, so it brings nothing of the control API's server along.
  'server/control/contract': [
    'server/config',
    'sandbox',
    'service/oidc',
    'service/age',
    'sandbox/files',
    'service/text',
  ],
  'server/routes': ['server/pages', ...SERVED],
  'server/pages': SERVED,
  'workbench/console': [...SERVED, 'audit/report'],
  'workbench/demo': SERVED,
  'workbench/documents': SERVED,
  'server/control': SERVED,
  'server/http': ['sandbox', 'service/oidc', 'service/age', 'sandbox/files', 'service/text'],
  sandbox: ['service/oidc', 'service/age', 'sandbox/files', 'service/text'],
  'service/oidc': ['service/age', 'service/text'],
  'service/age': ['service/text'],
  'service/text': [],
  'server/store': ['sandbox', 'service/oidc', 'service/age', 'sandbox/files', 'service/text'],
  'server/tls': ['sandbox', 'sandbox/files', 'service/text'],
  'server/config': ['sandbox', 'service/oidc', 'service/age', 'server/store', 'sandbox/files', 'service/text'],
  'sandbox/files': ['service/text'],
}

const MAX_ENTRIES = 16
/** Folders that hold more entries, each with the reason. */
const FULL_FOLDERS: Readonly<Record<string, string>> = {
  '.': 'the rooms of the floor plan and five entry points',
  server: 'the kits for test suites leave it next',
}

/** Files that may hold a cast, each with the reason why a schema cannot prove the type. */
const CASTS: Readonly<Record<string, string>> = {
  'server/config/settings.ts': 'still to go',
  'service/text/camel-case.ts': 'the compiler cannot follow names that are computed',
  'sandbox/clients/mask.ts': 'a value of any shape keeps it',
  'sandbox/tenants/shared-parts.ts': 'the compiler cannot follow names that are computed',
  'service/oidc/request/parameters.ts': 'the compiler cannot follow names that are computed',
  'server/create-sandbox.ts': 'a server that listens on a port has an address',
}

/** Entry points, and the root of the package, stand beside the rooms. */
const BESIDE = ['audit.ts', 'index.ts', 'package-root.ts', 'playwright.ts', 'vitest.ts']

const imports = [...files].flatMap(([from, text]) =>
  [...text.matchAll(/(?:(?:import|export) [^'"]*?from |import\()'(\.[^']+)'/g)].map(([, target = '']) => ({
    from,
    to: posix.normalize(posix.join(posix.dirname(from), target)),
  })),
)

/** `oidc/use.ts` is in the room `oidc`; a file beside the rooms counts as its own room. */
const roomOf = (path: string) => path.split('/')[0] ?? path
const arrow = ({ from, to }: (typeof imports)[number]) => `${from} -> ${to}`
/** The files whose code matches a pattern. */
const placesOf = (pattern: RegExp) => [...files].flatMap(([path, text]) => (pattern.test(text) ? [path] : [])).sort()

test('The architecture is read from the imports of every file', () => {
  expect(imports.length).toBeGreaterThan(files.size)
  expect(imports.filter(({ to }) => to.endsWith('.ts') && !files.has(to)).map(arrow)).toEqual([])
})

test.each(Object.entries(ROOMS))('The room %s of src imports only %j', (room, allowed) => {
  const isIn = (path: string, places: readonly string[]) => places.some((place) => `${path}/`.startsWith(`${place}/`))
  const ofRoom = imports.filter(({ from }) => isIn(from, [room]))
  expect(ofRoom.filter(({ to }) => !isIn(to, [room, ...allowed, 'package-root.ts'])).map(arrow)).toEqual([])
})

test('Every room of src is planned', () => {
  const rooms = new Set([...files.keys()].map(roomOf))
  expect([...rooms].sort()).toEqual([...new Set(Object.keys(ROOMS).map(roomOf)), ...BESIDE, 'cli'].sort())
})

test('What is loaded later is loaded by onDemand, so that a load that failed is tried again', () => {
  // A command is loaded once in a process; a test runner is loaded already.
  const atOnce = [...files].filter(([path]) => !path.startsWith('cli/') && path !== 'vitest.ts')
  const linesOf = ([path, text]: [string, string]) =>
    [...text.matchAll(/.*\bimport\('(?!node:)/g)].map(([line]) => `${path}: ${line}`)
  const loads = atOnce.flatMap(linesOf)
  expect(loads.length).toBeGreaterThan(10)
  const inApp = "const { createPageRoutes } = await import('"
  expect(loads.filter((load) => !/\bonDemand\(/.test(load) && !load.includes(inApp))).toEqual([])
})

test('Nothing imports the command line', () => {
  expect(imports.filter(({ from, to }) => roomOf(to) === 'cli' && roomOf(from) !== 'cli').map(arrow)).toEqual([])
})

test('No files import each other in a circle, not even their types', () => {
  let unread = imports
  for (let before = 0; unread.length !== before; ) {
    before = unread.length
    const waiting = new Set(unread.map(({ from }) => from))
    unread = unread.filter(({ to }) => waiting.has(to))
  }
  expect(unread.map(arrow)).toEqual([])
})

test('No folders of a room import each other in a circle', () => {
  const folderOf = (path: string) => posix.dirname(path).split('/').slice(0, 2).join('/')
  let unread = imports
    .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
    .filter(
      ({ from, to }) => from !== to && roomOf(from) === roomOf(to) && [from, to].every((one) => one.includes('/')),
    )
  for (let before = 0; unread.length !== before; ) {
    before = unread.length
    const waiting = new Set(unread.map(({ from }) => from))
    unread = unread.filter(({ to }) => waiting.has(to))
  }
  expect([...new Set(unread.map(({ from, to }) => `${from} -> ${to}`))]).toEqual([])
})

test('A folder of src has at most 16 entries', () => {
  const folders = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map((path) => posix.dirname(path))
  const isFull = (folder: string) => folders.filter((other) => other === folder).length > MAX_ENTRIES
  expectOnly([...new Set(folders)].filter(isFull), FULL_FOLDERS)
})

/** Suites that test the whole product, or something besides source files. */
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

test('A test of service or sandbox starts no server: `npm run test:fast` runs these', () => {
  const domain = tests.filter((path) => ['service', 'sandbox'].includes(roomOf(path)))
  const server =
    /support\/(?:sandbox|http-client|browser-client|relying-party)\.ts|src\/server\/(?!store|config)|\bfetch\(/
  expect(domain.length).toBeGreaterThan(30)
  expect(domain.filter((path) => server.test(readFileSync(`${TESTS}${path}`, 'utf8')))).toEqual([])
})

const TIME = /Date\.now|new Date\(\)|performance\.now|process\.(?:hrtime|uptime)/
const WRITING = /\b(?:res|response)\.(?:writeHead|write|end|send|json|status|redirect|setHeader|sendStatus|cookie)\(/

test.each([
  // The agent sets a variable for Playwright.
  [
    'reads the environment',
    /process\.env/,
    ['audit/agent/chromium/chromium-agent.ts', 'server/config/load-settings.ts'],
  ],
  // The start of an audit is not an instant of a sandbox.
  ['reads the time', TIME, ['audit/audit.ts', 'sandbox/clock/clock.ts']],
  ['writes to a response', WRITING, ['server/http/reply.ts']],
  ['prints', /\bconsole\.\w+\(|process\.(?:stdout|stderr)/, ['cli']],
])('Only one place of src %s', (_what, pattern, places) => {
  expect([...new Set(placesOf(pattern).map((path) => path.replace(/^cli\/.*/, 'cli')))]).toEqual(places)
})

test.each([
  ['has a default export', /^export default /m],
  ['has the type any', /(?:: |<|as )any\b/],
  ['passes everything of another file on', /^export \* from /m],
  ['names a limit MOST_X or LONGEST_X: it is MAX_X', /\b(?:MOST|LONGEST)_/],
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
  expect([...files.keys()].filter((path) => /(?:^|\/)(?:utils?|helpers?|common|misc)[./]/.test(path))).toEqual([])
})

/** The list of exceptions holds exactly what is found, so that a repaired place leaves the list. */
function expectOnly(found: readonly string[], allowed: Readonly<Record<string, string>>): void {
  expect([...found].sort()).toEqual(Object.keys(allowed).sort())
}
