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

/**
 * The groups of `src/`, from the bottom: each imports only the groups that it names, and the root
 * of the package.
 */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  service: [],
  sandbox: ['service'],
  server: ['service', 'sandbox'],
  // An audit drives a sandbox by the client of the control API; a page of the console shows its
  // report.
  audit: ['service', 'sandbox', 'server/client', 'server/config/setting.ts'],
  workbench: ['service', 'sandbox', 'server', 'audit/report'],
  tools: ['service', 'sandbox', 'server', 'audit'],
}

/** The one file of service, sandbox and server that names another group, by `import()` only. */
const COMPOSITION = 'server/loaded-later.ts'

/** What serves a call knows the edge and what is below it, not what else is served. */
const SERVED = ['server/http', 'sandbox', 'service']

/**
 * What some rooms may import besides themselves, including types, where it is less than their group
 * may.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'service/text': [],
  'service/age': ['service/text'],
  'service/oidc': ['service/age', 'service/text'],
  'sandbox/files': ['service/text'],
  'server/http': ['sandbox', 'service', 'server/control/contract/recording-formats.ts'],
  'server/pages': SERVED,
  'server/routes': ['server/pages', ...SERVED],
  'server/control': SERVED,
  // The client becomes a part of an app, so it brings nothing of the control API's server along.
  'server/control/contract': ['server/config', 'sandbox', 'service'],
  'server/client': ['server/control/contract', 'server/config', 'sandbox', 'service'],
  'server/store': ['sandbox', 'service'],
  'server/tls': ['sandbox', 'service'],
  'server/config': ['sandbox', 'service', 'server/store'],
  // The audit knows a sandbox only by its client, its catalogue and its readings, whether an
  // address is this machine, and a stopwatch.
  audit: [
    ...[
      'server/client',
      'server/config/setting.ts',
      'sandbox/outcomes',
      'sandbox/readings',
      'sandbox/files',
    ],
    ...['sandbox/addresses', 'sandbox/clock/clock.ts', 'service'],
  ],
  'workbench/console': ['server/control/contract', 'audit/report', ...SERVED],
  'workbench/demo': SERVED,
  'workbench/documents': SERVED,
  'workbench/mcp': ['server/client', 'server/control', 'workbench/documents', ...SERVED],
  'tools/recordings': ['server/control/contract/recording-formats.ts', 'sandbox', 'service'],
  'tools/kits': ['server', 'sandbox', 'service'],
}

const MAX_ENTRIES = 16
/** Files that may hold a cast, each with the reason why a schema cannot prove the type. */
const CASTS: Readonly<Record<string, string>> = {
  'server/config/settings.ts': 'still to go',
  'service/text/camel-case.ts': 'the compiler cannot follow names that are computed',
  'sandbox/clients/mask.ts': 'a value of any shape keeps it',
  'sandbox/tenants/shared-parts.ts': 'the compiler cannot follow names that are computed',
  'service/oidc/request/parameters.ts': 'the compiler cannot follow names that are computed',
  'server/create-sandbox.ts': 'a server that listens on a port has an address',
}

/** Entry points, and the root of the package, stand beside the groups. */
const BESIDE = ['audit.ts', 'index.ts', 'package-root.ts', 'playwright.ts', 'vitest.ts']

const imports = [...files].flatMap(([from, text]) =>
  [...text.matchAll(/(?:(?:import|export) [^'"]*?from |import\()'(\.[^']+)'/g)].map(
    ([, target = '']) => ({
      from,
      to: posix.normalize(posix.join(posix.dirname(from), target)),
    }),
  ),
)

/**
 * `service/oidc/use.ts` is in the group `service`; a file beside the groups counts as its own
 * group.
 */
const groupOf = (path: string) => path.split('/')[0] ?? path
const isIn = (path: string, places: readonly string[]) =>
  places.some((place) => `${path}/`.startsWith(`${place}/`))
const arrow = ({ from, to }: (typeof imports)[number]) => `${from} -> ${to}`
/** The files whose code matches a pattern. */
const placesOf = (pattern: RegExp) =>
  [...files].flatMap(([path, text]) => (pattern.test(text) ? [path] : [])).sort()

test('The architecture is read from the imports of every file', () => {
  expect(imports.length).toBeGreaterThan(files.size)
  expect(imports.filter(({ to }) => to.endsWith('.ts') && !files.has(to)).map(arrow)).toEqual([])
})

test.each(Object.entries({ ...GROUPS, ...ROOMS }))(
  'The files of %s import only %j',
  (place, allowed) => {
    const own = imports.filter(({ from }) => isIn(from, [place]) && from !== COMPOSITION)
    expect(
      own.filter(({ to }) => !isIn(to, [place, ...allowed, 'package-root.ts'])).map(arrow),
    ).toEqual([])
  },
)

test('One file names the groups above the server, only by import()', () => {
  const above = imports.filter(
    ({ from, to }) => from === COMPOSITION && isIn(to, ['workbench', 'tools', 'audit']),
  )
  const loaded = files.get(COMPOSITION)?.match(/import\('/g) ?? []
  expect(loaded).toHaveLength(above.length)
  expect(above.length).toBeGreaterThan(3)
})

test('src holds the groups beside the entry points', () => {
  const groups = new Set([...files.keys()].map(groupOf))
  expect([...groups].sort()).toEqual([...Object.keys(GROUPS), ...BESIDE].sort())
})

test('What is loaded later is loaded by onDemand, so that a load that failed is tried again', () => {
  // A command is loaded once in a process; a test runner is loaded already.
  const atOnce = [...files].filter(
    ([path]) => !path.startsWith('tools/cli/') && path !== 'vitest.ts',
  )
  const linesOf = ([path, text]: [string, string]) =>
    [...text.matchAll(/.*\bimport\('(?!node:)/g)].map(([line]) => `${path}: ${line}`)
  const loads = atOnce.flatMap(linesOf)
  expect(loads.length).toBeGreaterThan(10)
  const inApp = "const { createPageRoutes } = await import('"
  expect(loads.filter((load) => !/\bonDemand\(/.test(load) && !load.includes(inApp))).toEqual([])
})

test('Nothing imports the command line', () => {
  const isOfCommandLine = (path: string) => isIn(path, ['tools/cli'])
  expect(
    imports.filter(({ from, to }) => isOfCommandLine(to) && !isOfCommandLine(from)).map(arrow),
  ).toEqual([])
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

test('No folders import each other in a circle', () => {
  const folderOf = (path: string) => posix.dirname(path).split('/').slice(0, 3).join('/')
  let unread = imports
    .map(({ from, to }) => ({ from: folderOf(from), to: folderOf(to) }))
    .filter(({ from, to }) => !isIn(from, [to]) && !isIn(to, [from]) && to !== '.')
  for (let before = 0; unread.length !== before; ) {
    before = unread.length
    const waiting = new Set(unread.map(({ from }) => from))
    unread = unread.filter(({ to }) => waiting.has(to))
  }
  const edges = new Set(unread.map(({ from, to }) => `${from} -> ${to}`))
  expect([...edges]).toEqual([])
})

test('A folder of src has at most 16 entries', () => {
  const folders = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).map((path) =>
    posix.dirname(path),
  )
  const isFull = (folder: string) =>
    folders.filter((other) => other === folder).length > MAX_ENTRIES
  expect([...new Set(folders)].filter(isFull)).toEqual([])
})

/** Suites that test the whole product, or something besides source files. */
const SUITES = [
  'browser',
  'clients',
  'conformance',
  'docs',
  'image',
  'outcomes',
  'package',
  'rules',
  'support',
]
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
  expect(astray.filter((path) => !SUITES.includes(groupOf(path)))).toEqual([])
})

test('A test of service or sandbox starts no server: `npm run test:fast` runs these', () => {
  const domain = tests.filter((path) => ['service', 'sandbox'].includes(groupOf(path)))
  const server =
    /support\/(?:sandbox|http-client|browser-client|relying-party)\.ts|src\/server\/(?!store|config)|\bfetch\(/
  expect(domain.length).toBeGreaterThan(30)
  expect(domain.filter((path) => server.test(readFileSync(`${TESTS}${path}`, 'utf8')))).toEqual([])
})

const TIME = /Date\.now|new Date\(\)|performance\.now|process\.(?:hrtime|uptime)/
const WRITING =
  /\b(?:res|response)\.(?:writeHead|write|end|send|json|status|redirect|setHeader|sendStatus|cookie)\(/

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
  ['prints', /\bconsole\.\w+\(|process\.(?:stdout|stderr)/, ['tools/cli']],
])('Only one place of src %s', (_what, pattern, places) => {
  expect([
    ...new Set(placesOf(pattern).map((path) => path.replace(/^tools\/cli\/.*/, 'tools/cli'))),
  ]).toEqual(places)
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
  const cast =
    /(?<=[\w)\]}]) as (?!const\b)(?:unknown|string|number|never|keyof|JWK|[A-Z]\w*[a-z]|\{|\()/
  const others = /'[^'\n]*'|^(?:im|ex)port [^']*from|\[\w+ in keyof [^\]]*\]/gm
  const isCasting = ([, text]: readonly [string, string]) => cast.test(text.replace(others, ''))
  expectOnly(
    [...files].filter(isCasting).map(([path]) => path),
    CASTS,
  )
})

test('No file of src is called utils or helpers', () => {
  expect(
    [...files.keys()].filter((path) => /(?:^|\/)(?:utils?|helpers?|common|misc)[./]/.test(path)),
  ).toEqual([])
})

/** The list of exceptions holds exactly what is found, so that a repaired place leaves the list. */
function expectOnly(found: readonly string[], allowed: Readonly<Record<string, string>>): void {
  expect([...found].sort()).toEqual(Object.keys(allowed).sort())
}
