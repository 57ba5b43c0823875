import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../docs/page.ts'
import { folderWith } from '../support/folder-with.ts'

/**
 * A fresh project that installs the packed package, built by `npm run test:package`, without a
 * registry and nothing else.
 */
const project = folderWith({ 'package.json': { name: 'fresh', private: true } }, afterAll)
const installed = join(project, 'node_modules/agekey-sandbox')
beforeAll(() => {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project]
  const [packed] = JSON.parse(runIn(ROOT, 'npm', pack))
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${packed.filename}`)
  expect(
    readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.')),
  ).toEqual(['agekey-sandbox'])
})

/** Runs a program to its end: what it prints. @throws Error with the output when it fails */
function runIn(cwd: string, command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${status}\n${stdout}\n${stderr}`)
  return stdout
}
const run = (command: string, ...args: readonly string[]) => runIn(project, command, args)
const node = (...args: readonly string[]) => run(process.execPath, ...args)
const write = (path: string, text: string) => writeFileSync(join(project, path), text)
const readInstalled = (path: string) => readFileSync(join(installed, path), 'utf8')

test('The package has its licence, those of what it bundles, and a list of them for scanners in CycloneDX', () => {
  expect(existsSync(join(installed, 'LICENSE'))).toBe(true)
  const licences = readInstalled('dist/THIRD-PARTY-LICENSES.txt')
  expect(licences).toContain('express 5.')

  const bom = JSON.parse(readInstalled('dist/sbom.cdx.json'))
  const schemas = join(ROOT, '.ci/checks/node_modules/@cyclonedx/cyclonedx-library/res/schema')
  const schema = (name: string) =>
    JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema({
      ...schema(name),
      $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`,
    })
  const isValid = ajv.compile(schema('bom-1.6'))
  expect(isValid(bom)).toBe(true)
  expect(isValid.errors).toBe(null)

  type Component = { group?: string; name: string; version: string; purl: string }
  const { components }: { components: readonly Component[] } = bom
  const listed = components.map(
    ({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`,
  )
  expect(listed.toSorted()).toEqual(licences.match(/^\S+ \S+(?=\n-{40}$)/gm)?.toSorted())
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const expected = [
    'express',
    'jose',
    'zod',
    'yaml',
    'commander',
    '@faker-js/faker',
    'tough-cookie',
  ].map(
    (name) => `pkg:npm/${name.replace('@', '%40')}@${packages[`node_modules/${name}`]?.version}`,
  )
  expect(components.map(({ purl }) => purl.split('?')[0])).toEqual(expect.arrayContaining(expected))
})

test('The package has at most 140 files and 1.1 MB', () => {
  const [{ entryCount, size }] = JSON.parse(
    runIn(ROOT, 'npm', ['pack', '--ignore-scripts', '--dry-run', '--json']),
  )
  expect(entryCount).toBeLessThanOrEqual(140)
  expect(size).toBeLessThanOrEqual(1_100_000)
})

test('A start loads at most ten files of together 800 kB: no page, no audit, no parser of YAML or HTML', async () => {
  const env = { ...process.env, NODE_V8_COVERAGE: join(project, 'loaded') }
  const server = spawn(
    process.execPath,
    [join(installed, 'dist/bin.js'), '-p', '0', '--state-dir', 'none'],
    { env },
  )
  await once(server.stdout, 'data')
  server.kill('SIGINT')
  await once(server, 'exit')
  const [report = ''] = readdirSync(join(project, 'loaded'))
  const { result }: { result: { url: string }[] } = JSON.parse(
    readFileSync(join(project, 'loaded', report), 'utf8'),
  )
  const files = result.flatMap(({ url }) =>
    url.includes('/agekey-sandbox/dist/') ? [fileURLToPath(url)] : [],
  )
  expect(files.length).toBeGreaterThan(3)
  expect(files.length).toBeLessThanOrEqual(10)
  expect(files.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(800_000)
})

test('Installed, it serves the files to which its documents link', async () => {
  const server = spawn(process.execPath, [
    join(installed, 'dist/bin.js'),
    '-p',
    '0',
    '--state-dir',
    'none',
  ])
  const [banner] = await once(server.stdout, 'data')
  const [url = ''] = /http:\/\/localhost:\d+/.exec(String(banner)) ?? []
  const paths = ['docs/scenarios/teen-then-adult.yaml', 'public/schemas/audit-report.schema.json']
  const answers = await Promise.all(paths.map((path) => fetch(`${url}/_sandbox/${path}`)))
  server.kill('SIGINT')
  await once(server, 'exit')
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
})

test('No file of the package waits for itself: in a circle, which file runs first decides whether a command works', () => {
  const files = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.js'))
  const imports = new Map(
    files.map((name) => [
      name,
      [...readInstalled(`dist/${name}`).matchAll(/(?:from|import)"\.\/([^"]+)"/g)].map(
        ([, other = '']) => other,
      ),
    ]),
  )
  const isFree = new Set<string>()
  let before = -1
  while (isFree.size > before) {
    before = isFree.size
    for (const [name, others] of imports)
      if (others.every((other) => isFree.has(other))) isFree.add(name)
  }
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((name) => !isFree.has(name))).toEqual([])
})

test('The documents come along, with every file that they link to but the examples', () => {
  const pages = readdirSync(join(installed, 'docs')).map((name) => `docs/${name}`)
  const documents = ['README.md', 'CHANGELOG.md', 'SECURITY.md', ...pages].filter((file) =>
    file.endsWith('.md'),
  )
  const dead = documents.flatMap((file) =>
    [...readInstalled(file).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].flatMap(([, path = '']) =>
      // The examples are in the repository alone.
      /^(?:\.\.\/)?examples\//.test(path) || existsSync(join(installed, dirname(file), path))
        ? []
        : [`${file} -> ${path}`],
    ),
  )
  expect(documents.length).toBeGreaterThan(15)
  expect(dead).toEqual([])
})

const DRIVE = `
  const { inspect } = await import('node:util')
  await createSandbox({ prot: 1 }).catch((error) => console.log(inspect(error).split('\\n')[0]))
  for (const kit of ['audit', 'playwright', 'vitest'])
    console.log(...Object.keys(await import('agekey-sandbox/' + kit)).sort())
  const sandbox = await createSandbox()
  const { age_thresholds } = await sandbox.evaluate({ claims: { age_thresholds: [16, 18] }, persona: 'teen-16' })
  await sandbox.next({ persona: 'teen-16' })
  const query = new URLSearchParams({
    scope: 'openid', response_type: 'id_token', client_id: sandbox.client.clientId, state: 's', nonce: 'n',
    redirect_uri: 'http://localhost:3000/callback', claims: '{"age_thresholds":[13,18]}',
  })
  await fetch(sandbox.baseUrl + '/v1/oidc/use?' + query, { redirect: 'manual' })
  const flow = await sandbox.flows.last()
  const page = await fetch(sandbox.baseUrl + '/')
  const style = await fetch(sandbox.baseUrl + '/_sandbox/assets/app.css')
  const document = await fetch(sandbox.baseUrl + '/_sandbox/docs/library')
  const tools = await fetch(sandbox.baseUrl + '/_sandbox/mcp', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  })
  const thresholds = JSON.stringify([age_thresholds, flow.age_thresholds])
  console.log(thresholds, page.status, style.status, document.status, tools.status)
  await sandbox.close()`

/**
 * The binary of a release line, from the registry: the one that runs the tests is not the only one
 * that users have.
 */
function nodeOf(line: string): string {
  const name = `node-${process.platform}-${process.arch}`
  const folder = join(project, `node-${line}`)
  mkdirSync(folder)
  run('npm', 'install', '--silent', '--prefix', folder, `${name}@${line}`)
  return join(folder, 'node_modules', name, 'bin/node')
}

test.each(['20', '22', '24', 'of the tests'])(
  'Node %s imports package and test kits, requires it, runs its bin',
  (line) => {
    const program = line === 'of the tests' ? process.execPath : nodeOf(line)
    write('drive.mjs', `import { createSandbox } from 'agekey-sandbox'\n${DRIVE}`)
    write(
      'drive.cjs',
      `const { createSandbox } = require('agekey-sandbox')\nvoid (async () => {${DRIVE}\n})()`,
    )
    const said = [
      'ConfigError: createSandbox: prot: unknown key. Did you mean "port"?',
      'AuditFinding AuditProblem audit auditTests drill',
      'auditTests sandboxFixtures',
      'auditTests setupSandbox',
      '[{"16":true,"18":false},{"13":true,"18":false}] 200 200 200 200\n',
    ]
    for (const file of ['drive.mjs', 'drive.cjs'])
      expect(run(program, '--no-warnings', file)).toBe(said.join('\n'))
    expect(run(program, 'node_modules/agekey-sandbox/dist/bin.js', '--version')).toMatch(
      /^\d+\.\d+\.\d+\n$/,
    )
  },
)

test('npx runs the command of the package', () => {
  expect(run('npx', '--offline', 'agekey-sandbox', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(run('npx', '--offline', 'agekey-sandbox', 'personas')).toContain('turns-18-tomorrow')
})

test('The declarations are interfaces to read, with nothing of zod in them', () => {
  const files = readdirSync(join(installed, 'dist')).filter((name) => name.endsWith('.d.ts'))
  expect(files).toEqual(
    expect.arrayContaining(['index.d.ts', 'audit.d.ts', 'playwright.d.ts', 'vitest.d.ts']),
  )
  for (const name of files) {
    const text = readInstalled(`dist/${name}`)
    expect(text, name).not.toMatch(/zod|\$strict|ZodType|from '(?!\.)/i)
    expect(text.split('\n').length, name).toBeLessThan(800)
  }
})

test('The types are complete without any other package, and wrong calls are compile errors', () => {
  const lib = ['es2023', 'dom', 'esnext.disposable']
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2023',
    lib,
    types: [],
    noEmit: true,
  }
  write('tsconfig.json', JSON.stringify({ compilerOptions }))
  write(
    'types.mts',
    `import { createSandbox, connectSandbox, evaluate, ConfigError } from 'agekey-sandbox'
    import type { AgeSignal, Claims, ClientSettings, ClockState, Finding, Persona, Scenario, ScenarioProgress } from 'agekey-sandbox'
    import { audit, auditTests, type VisitFunction } from 'agekey-sandbox/audit'
    import { sandboxFixtures } from 'agekey-sandbox/playwright'
    import { auditTests as vitestTests, setupSandbox } from 'agekey-sandbox/vitest'
    await using sandbox = await createSandbox({ port: 0, lifetimes: { code: 1 } })
    await sandbox.personas.put({ name: 'x', title: 'X', purpose: 'X.' } satisfies Persona)
    const claims: Claims = { age_thresholds: [18], allowed_methods: ['id_doc_scan'] }
    const reached: boolean | undefined = evaluate([] satisfies AgeSignal[], claims, 0).ageThresholds['18']
    const flow = await connectSandbox('http://localhost:2435').flows.last({ flow: 'use' })
    const reason: string | undefined = flow?.trace?.[0]?.signals[0]?.checks[0]?.reason
    const findings: readonly Finding[] | undefined = flow?.calls[0]?.findings
    const client: ClientSettings = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/cb'] }
    await sandbox.configure({ clients: [client], persona: 'one-of-my-own' })
    const scenario: Scenario = { name: 'A', steps: [{ decide: { flow: 'use', outcome: 'access_denied' } }] }
    const progress: ScenarioProgress = await sandbox.scenarios.arm(scenario)
    const state: ClockState = await sandbox.clock.state()
    console.log(reached, reason, findings, progress.status, state.now, ConfigError.prototype instanceof Error)
    const visit: VisitFunction = async ({ open }) => (await open('http://localhost:3000/verify')).status === 200
    const { exit_code: code } = await audit(sandbox, { visit, only: ['level:must'] })
    auditTests(sandbox, visit, { test: (name, run, timeoutMs) => console.log(name, run, timeoutMs, code) })
    await vitestTests(sandbox, visit, { failOn: 'may' })
    console.log(sandboxFixtures(), setupSandbox)
    // @ts-expect-error a method that does not exist
    const wrong: Claims = { age_thresholds: [18], allowed_methods: ['guess'] }
    // @ts-expect-error an option that does not exist
    await createSandbox({ prot: 1 })
    console.log(wrong)`,
  )
  expect(node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.')).toBe('')
})
