import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { folderWith } from '../support/folder-with.ts'
import { installInto, packInto } from '../support/packed.ts'
import { blockWith, codeBlocks, codeIn, readPage, readRoot, tableOf } from './page.ts'
import { START_APP } from './start-app.ts'

const page = readPage('library.md')
const scripts = codeBlocks(page, 'js')
const manifest = JSON.parse(
  blockWith(codeBlocks(page, 'json'), '  "jest": { "testMatch": ["**/*.test.?(m)js"] }'),
)
const MODULE = blockWith(scripts, '// age.test.mjs')
const COMMON = blockWith(scripts, '// member.test.js')

type Files = Readonly<Record<string, string>>

/** What differs in `package.json` from the one of the page. */
type Changes = Readonly<{ jest?: object; scripts?: object; type?: 'module' }>

const folder = folderWith({}, afterAll)
let tarball = ''
beforeAll(async () => {
  tarball = await packInto(folder)
}, 120_000)

/**
 * Makes a project with the packed package and a Jest; its tests stand in folders, which share what
 * is installed.
 */
async function installJest(name: string, ...packages: readonly string[]) {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private": true}')
  await installInto(project, tarball, ...packages)
  /** Runs `npm test` among files of its own, with what the page puts into `package.json`. */
  return async function runTests(files: Files, { jest, ...changes }: Changes = {}) {
    const place = join(project, `tests-${Object.keys(files).join('-')}`)
    mkdirSync(place, { recursive: true })
    try {
      symlinkSync(join(project, 'node_modules'), join(place, 'node_modules'))
    } catch {
      // It is the second run there.
    }
    const own = { ...manifest, ...changes, jest: { ...manifest.jest, ...jest } }
    const all = { ...files, 'package.json': JSON.stringify(own) }
    for (const [path, text] of Object.entries(all)) writeFileSync(join(place, path), text)
    const env = { ...process.env, NODE_OPTIONS: '', VITEST: undefined, JEST_WORKER_ID: undefined }
    const running = promisify(execFile)('npm', ['test'], { cwd: place, env })
    // Jest writes its report to stderr.
    const { stderr } = await running.catch((failed) => failed)
    return String(stderr)
  }
}

const WITHOUT_FLAG = { scripts: { test: 'node node_modules/jest/bin/jest.js' } }

describe.each(['29', '30'])('With Jest %s', (version) => {
  let runTests: Awaited<ReturnType<typeof installJest>>
  beforeAll(async () => {
    runTests = await installJest(
      `jest-${version}`,
      `jest@${version}`,
      `jest-environment-jsdom@${version}`,
    )
  }, 180_000)

  test(`A test of library.md that is an ES module passes in Jest ${version}`, async () => {
    expect(await runTests({ 'age.test.mjs': MODULE })).toMatch(/^Tests: +1 passed, 1 total$/m)
  })

  test(`A test of library.md that is CommonJS passes in Jest ${version}`, async () => {
    expect(await runTests({ 'member.test.js': COMMON })).toMatch(/^Tests: +1 passed, 1 total$/m)
  })

  test(`A test of library.md fails in Jest ${version} when the sandbox answers otherwise`, async () => {
    const wrong = MODULE.replace("persona: 'teen-16'", "persona: 'adult-passport'")
    expect(await runTests({ 'wrong.test.mjs': wrong })).toMatch(/^Tests: +1 failed, 1 total$/m)
  })

  test.each([
    ['age.test.mjs', MODULE],
    ['member.test.js', COMMON],
  ])(`library.md has what Jest ${version} says of %s without the flag`, async (name, code) => {
    const said = await runTests({ [name]: code }, WITHOUT_FLAG)
    const quoted = [...page.matchAll(/"(Cannot use\s[^"]*|Must use [^"]*|A dynamic [^"]*)"/g)]
    const known = quoted.map(([, text = '']) => text.replaceAll('\n', ' '))
    expect(known).toHaveLength(3)
    expect(known.filter((text) => said.includes(text))).not.toEqual([])
  })

  test(`The global set-up of library.md starts a sandbox in Jest ${version} without the flag`, async () => {
    const files = {
      'global-setup.mjs': blockWith(scripts, '// global-setup.mjs'),
      'global-teardown.mjs': blockWith(scripts, '// global-teardown.mjs'),
      'health.test.js': `test('it answers', async () => {
        expect((await fetch(process.env.AGE_BASE_URL + '/_sandbox/health')).status).toBe(200)
      })`,
    }
    const jest = { globalSetup: './global-setup.mjs', globalTeardown: './global-teardown.mjs' }
    expect(await runTests(files, { jest, ...WITHOUT_FLAG })).toMatch(/^Tests: +1 passed, 1 total$/m)
  })

  test(`A second run with coverage passes in Jest ${version}`, async () => {
    const covered = MODULE.replace('{ hooks', '{ coverage: true, hooks')
    expect(covered).toContain('coverage: true')
    await runTests({ 'covered.test.mjs': covered })
    expect(await runTests({ 'covered.test.mjs': covered })).toMatch(/^Tests: +1 passed, 1 total$/m)
  })

  test(`A port that is in use is said in words of the sandbox in Jest ${version}`, async () => {
    const code = `import { createSandbox } from 'agekey-sandbox'
      test('it is in use', async () => {
        const first = await createSandbox()
        const port = Number(new URL(first.url).port)
        const said = await createSandbox({ port }).catch(String)
        await first.close()
        expect(said).toMatch(/^ConfigError: port \\d+ is in use on /)
      })`
    expect(await runTests({ 'port.test.mjs': code })).toMatch(/^Tests: +1 passed, 1 total$/m)
  })

  test(`A file in the environment jsdom of Jest ${version} runs with the first line that library.md says`, async () => {
    const [, line = ''] =
      tableOf(page, 'The tests').find(([which]) => which?.includes('jsdom')) ?? []
    const [firstLine = ''] = codeIn(line)
    const jest = { testEnvironment: 'jsdom' }
    expect(await runTests({ 'node.test.mjs': `${firstLine}\n${MODULE}` }, { jest })).toMatch(
      /^Tests: +1 passed/m,
    )
  })
})

describe('With Jest and TypeScript', () => {
  let runTests: Awaited<ReturnType<typeof installJest>>
  beforeAll(async () => {
    const babel = ['@babel/preset-env', '@babel/preset-typescript']
    const others = ['@swc/core', '@swc/jest', '@types/jest', 'ts-jest', 'typescript@5']
    runTests = await installJest('typescript', 'jest@30', ...babel, ...others)
  }, 300_000)

  /** The test of the page with a type, which plain JavaScript has not. */
  const typed = MODULE.replace('const sandbox =', 'const sandbox: SandboxApi =').replace(
    "import { setupSandbox } from 'agekey-sandbox/vitest'",
    "import type { SandboxApi } from 'agekey-sandbox'\nimport { setupSandbox } from 'agekey-sandbox/vitest'",
  )
  /** What a row of the page asks for, as settings. */
  const asked = (transformer: string) => {
    const [, needed = ''] =
      tableOf(page, 'The tests').find(([which]) => which?.includes(transformer)) ?? []
    return codeIn(needed)
  }
  const settingsOf = (transformer: string) => JSON.parse(`{${asked(transformer)[0] ?? ''}}`)
  const FOUND = { testMatch: ['**/*.test.ts'] }

  test('A test in TypeScript passes by babel-jest with the setting of library.md', async () => {
    const presets = [
      ['@babel/preset-env', { targets: { node: 'current' } }],
      '@babel/preset-typescript',
    ]
    const files = { 'babel.test.ts': typed, 'babel.config.json': JSON.stringify({ presets }) }
    const jest = { ...FOUND, ...settingsOf('babel-jest') }
    expect(await runTests(files, { jest })).toMatch(/^Tests: +1 passed, 1 total$/m)
  })

  test('A test in TypeScript passes by @swc/jest with the setting of library.md', async () => {
    const transform = { '^.+\\.ts$': '@swc/jest' }
    const jest = { ...FOUND, transform, ...settingsOf('@swc/jest') }
    expect(await runTests({ 'swc.test.ts': typed }, { jest })).toMatch(
      /^Tests: +1 passed, 1 total$/m,
    )
  })

  test('A test in TypeScript is refused by @swc/jest without the setting of library.md', async () => {
    const jest = { ...FOUND, transform: { '^.+\\.ts$': '@swc/jest' } }
    expect(await runTests({ 'plain.test.ts': typed }, { jest })).toMatch(/^Tests: +0 total$/m)
  })

  test('A test in TypeScript passes by ts-jest with the settings of library.md', async () => {
    const [, ...compiler] = asked('ts-jest')
    const compilerOptions = { target: 'es2022', ...JSON.parse(`{${compiler.slice(1).join(',')}}`) }
    expect(Object.keys(compilerOptions)).toEqual(['target', 'module', 'moduleResolution'])
    // The package of a run of the tests is bundled without its declarations.
    const declarations = `declare module 'agekey-sandbox' { export type SandboxApi = any }
      declare module 'agekey-sandbox/vitest' { export const setupSandbox: (options: object) => Promise<any> }`
    const files = {
      'ts-jest.test.ts': typed,
      'agekey-sandbox.d.ts': declarations,
      'tsconfig.json': JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    }
    const jest = { ...FOUND, ...settingsOf('ts-jest') }
    expect(await runTests(files, { jest })).toMatch(/^Tests: +1 passed, 1 total$/m)
  })
})

describe('With Jest and an app', () => {
  test('The tests of an audit run by Jest', async () => {
    const runTests = await installJest('audited', 'jest@30', 'express@5', 'jose@6')
    const code = blockWith(codeBlocks(readPage('audit.md'), 'js'), '// audit.test.mjs')
      .replace(
        "import { after, afterEach, test } from 'node:test'",
        "import { afterAll, afterEach, test } from '@jest/globals'",
      )
      .replace('afterAll: after }', 'afterAll }')
      .replace('{ test })', "{ test, only: ['use/id_token.expired'] })")
    const files = {
      'start-app.js': START_APP,
      'app.js': readRoot('examples/express/app.js'),
      'audit.test.mjs': code,
    }
    expect(await runTests(files, { type: 'module' })).toMatch(/^Tests: +\d passed, \d total$/m)
  }, 240_000)
})
