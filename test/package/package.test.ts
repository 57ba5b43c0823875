import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type InstalledPackage, installPackage } from './installed-package.ts'

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

let project: InstalledPackage
beforeAll(() => {
  project = installPackage()
})

const node = (...args: string[]) => project.run(process.execPath, ...args)

test('installing it installs one package', () => {
  const installed = readdirSync(join(project.folder, 'node_modules')).filter((name) => !name.startsWith('.'))
  expect(installed).toEqual(['agekey-sandbox'])
})

test('an error of the library is printed under its documented name', () => {
  const program = `import { createSandbox } from 'agekey-sandbox'\nawait createSandbox({ prot: 1 }).catch(console.log)`
  expect(node('--input-type=module', '--eval', program)).toMatch(
    /^ConfigError: createSandbox: prot: unknown key\. Did you mean "port"\?\n/,
  )
})

test('the licences of what is bundled come along', () => {
  const folder = join(project.folder, 'node_modules/agekey-sandbox')
  expect(readFileSync(join(folder, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8')).toContain('express 5.')
  expect(existsSync(join(folder, 'LICENSE'))).toBe(true)
})

test('a list of what is bundled comes along for scanners, in CycloneDX', () => {
  const folder = join(project.folder, 'node_modules/agekey-sandbox/dist')
  const bom: unknown = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'))
  const schemas = fileURLToPath(new URL('../../node_modules/@cyclonedx/cyclonedx-library/res/schema/', import.meta.url))
  const schema = (name: string) => JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'))
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const name of ['spdx', 'jsf-0.82']) {
    ajv.addSchema({ ...schema(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` })
  }
  const isValid = ajv.compile(schema('bom-1.6'))
  expect([isValid(bom), isValid.errors]).toEqual([true, null])

  const component = z.object({ group: z.string().optional(), name: z.string(), version: z.string(), purl: z.string() })
  const { components } = z.object({ components: z.array(component) }).parse(bom)
  const listed = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`)
  const licensed = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8').match(/^\S+ \S+(?=\n-{40}$)/gm)
  expect(listed.toSorted()).toEqual(licensed?.toSorted())
  const lock = z
    .object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })) })
    .parse(JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')))
  for (const name of ['express', 'jose', 'zod', 'yaml', 'commander', '@faker-js/faker', 'tough-cookie']) {
    const version = lock.packages[`node_modules/${name}`]?.version
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
    expect(components.map((component) => component.purl.split('?')[0])).toContain(purl)
  }
})

test('the documents come along, with every file that they link to', () => {
  const folder = join(project.folder, 'node_modules/agekey-sandbox')
  const documents = [
    'README.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...readdirSync(join(folder, 'docs')).map((name) => `docs/${name}`),
  ]
  const dead = documents
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].flatMap(([, path = '']) =>
        existsSync(join(folder, dirname(file), path)) ? [] : [`${file} -> ${path}`],
      ),
    )
  expect(documents.length).toBeGreaterThan(20)
  expect(dead).toEqual([])
})

describe('a program', () => {
  const drive = `
    await sandbox.next({ persona: 'teen-16' })
    const { age_thresholds } = await sandbox.evaluate({ claims: { age_thresholds: [16, 18] }, persona: 'teen-16' })
    const page = await fetch(sandbox.url + '/')
    const style = await fetch(sandbox.url + '/_sandbox/assets/app.css')
    const document = await fetch(sandbox.url + '/_sandbox/docs/library')
    const tools = await fetch(sandbox.url + '/_sandbox/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    console.log(JSON.stringify(age_thresholds), page.status, style.status, document.status, tools.status)
    await sandbox.close()`
  const said = '{"16":true,"18":false} 200 200 200 200\n'

  test('imports it', () => {
    project.write(
      'esm.mjs',
      `import { createSandbox } from 'agekey-sandbox'\nconst sandbox = await createSandbox()\n${drive}`,
    )
    expect(node('esm.mjs')).toBe(said)
  })

  test('requires it', () => {
    project.write(
      'cjs.cjs',
      `const { createSandbox } = require('agekey-sandbox')\n;(async () => { const sandbox = await createSandbox()\n${drive} })()`,
    )
    expect(node('--no-warnings', 'cjs.cjs')).toBe(said)
  })

  test('runs its command', () => {
    expect(project.run('npx', '--offline', 'agekey-sandbox', '--version')).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(project.run('npx', '--offline', 'agekey-sandbox', 'personas')).toContain('turns-18-tomorrow')
  })
})

test('the declarations are interfaces to read, with nothing of zod in them', () => {
  const folder = join(project.folder, 'node_modules/agekey-sandbox/dist')
  const files = readdirSync(folder).filter((name) => name.endsWith('.d.ts'))
  expect(files).toEqual(expect.arrayContaining(['index.d.ts', 'audit.d.ts', 'playwright.d.ts', 'vitest.d.ts']))
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(text, name).not.toMatch(/zod|\$strict|ZodType|from '(?!\.)/i)
    expect(text.split('\n').length, name).toBeLessThan(800)
  }
})

test('types are complete without any other package, and wrong calls are compile errors', () => {
  project.write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: 'nodenext',
        target: 'es2023',
        lib: ['es2023', 'dom', 'esnext.disposable'],
        types: [],
        noEmit: true,
      },
    }),
  )
  project.write(
    'types.mts',
    `import { createSandbox, connectSandbox, evaluate, ConfigError } from 'agekey-sandbox'
    import type { AgeSignal, Claims, ClientSettings, ClockState, Finding, Persona, Scenario, ScenarioProgress } from 'agekey-sandbox'
    import { audit, auditTests, type VisitFunction } from 'agekey-sandbox/audit'
    import { sandboxFixtures } from 'agekey-sandbox/playwright'
    import { auditTests as vitestTests, setupSandbox } from 'agekey-sandbox/vitest'
    const persona: Persona = { name: 'x', title: 'X', purpose: 'X.' }
    const claims: Claims = { age_thresholds: [18], allowed_methods: ['id_doc_scan'] }
    const signals: AgeSignal[] = []
    await using sandbox = await createSandbox({ port: 0, lifetimes: { code: 1 } })
    await sandbox.personas.put(persona)
    const reached: boolean | undefined = evaluate(signals, claims, 0).ageThresholds['18']
    const flow = await connectSandbox('http://localhost:2435').flows.last({ flow: 'use' })
    const reason: string | undefined = flow?.trace?.[0]?.signals[0]?.checks[0]?.reason
    const findings: readonly Finding[] | undefined = flow?.calls[0]?.findings
    const client: ClientSettings = { clientId: 'shop', clientSecret: 's', redirectUris: ['https://shop.example/cb'] }
    await sandbox.configure({ clients: [client], persona: 'one-of-my-own' })
    const scenario: Scenario = { name: 'A', steps: [{ decide: { flow: 'use', outcome: 'access_denied' } }] }
    const progress: ScenarioProgress = await sandbox.scenarios.arm(scenario)
    const state: ClockState = await sandbox.clock.state()
    await sandbox.next({ flow: 'use', persona: 'one-of-my-own' })
    console.log(reached, flow?.outcome, sandboxFixtures(), setupSandbox, reason, findings, progress.status, state.now)
    console.log(ConfigError.prototype instanceof Error)
    const visit: VisitFunction = async ({ open }) => (await open('http://localhost:3000/verify')).status === 200
    const { exit_code: code } = await audit(sandbox, { visit, only: ['level:must'] })
    auditTests(sandbox, visit, { test: (name, run, timeoutMs) => console.log(name, run, timeoutMs, code) })
    await vitestTests(sandbox, visit, { failOn: 'may' })
    // @ts-expect-error a visit says yes or no
    await audit(sandbox, { visit: async ({ open }) => (await open('http://localhost:3000/verify')).text })
    // @ts-expect-error there is no such flow
    await sandbox.next({ flow: 'ues' })
    // @ts-expect-error the library spells settings in camelCase
    await sandbox.configure({ clients: [{ client_id: 'shop' }] })
    // @ts-expect-error a method that does not exist
    const wrong: Claims = { age_thresholds: [18], allowed_methods: ['guess'] }
    // @ts-expect-error an option that does not exist
    await createSandbox({ prot: 1 })
    // @ts-expect-error a port is a number
    await createSandbox({ port: '1' })
    console.log(wrong)`,
  )
  expect(node(TSC, '-p', '.')).toBe('')
})

test('a Vitest file gets a sandbox that is reset before each test', () => {
  project.lend('vitest')
  project.write(
    'setup.test.mjs',
    `import { expect, test } from 'vitest'
    import { setupSandbox } from 'agekey-sandbox/vitest'
    const sandbox = await setupSandbox()
    test('one', async () => {
      await sandbox.next({ persona: 'teen-16' })
      await sandbox.clock.advance(60)
      expect(await sandbox.expectations.list()).toHaveLength(1)
    })
    test('two', async () => {
      expect(await sandbox.expectations.list()).toEqual([])
      expect((await sandbox.clock.state()).advanced_seconds).toBe(0)
    })`,
  )
  expect(node('node_modules/vitest/vitest.mjs', 'run', 'setup.test.mjs')).toMatch(/2 passed/)
})

test('a node:test file passes its own hooks', () => {
  project.write(
    'own-hooks.mjs',
    `import { after, afterEach, test } from 'node:test'
    import assert from 'node:assert'
    import { setupSandbox } from 'agekey-sandbox/vitest'
    const sandbox = await setupSandbox({ hooks: { afterEach, afterAll: after } })
    test('one', async () => { await sandbox.next({ persona: 'teen-16' }) })
    test('two', async () => { assert.deepEqual(await sandbox.expectations.list(), []) })`,
  )
  expect(node('--test', 'own-hooks.mjs')).toMatch(/pass 2/)
})

test('a node:test file audits an app by a test for each row', () => {
  project.lend('express', 'jose')
  project.write(
    'audit-app.mjs',
    `import { spawn } from 'node:child_process'
    import { once } from 'node:events'
    import { after, test } from 'node:test'
    import { createSandbox } from 'agekey-sandbox'
    import { auditTests } from 'agekey-sandbox/audit'
    const sandbox = await createSandbox()
    const program = 'node_modules/agekey-sandbox/examples/express/app.js'
    const env = { PORT: '0', AGE_BASE_URL: sandbox.baseUrl }
    const app = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = await once(app.stdout, 'data')
    const url = String(line).trim()
    app.stdout.resume()
    after(async () => { app.kill(); await sandbox.close() })
    const visit = async ({ open }) => (await open(url + '/verify')).text.includes('Welcome')
    auditTests(sandbox, visit, { test, only: ['use/id_token.expired', 'use/id_token.extra_claim', 'create/created'] })`,
  )
  const said = node('--test', '--test-reporter=tap', 'audit-app.mjs')
  expect(said).toContain('ok 6 - use/id_token.expired is refused')
  expect(said).toMatch(/# pass 5\n/)
  expect(said).toMatch(/# skipped 1\n/)
})

test('Playwright tests have a sandbox each worker, in which a browser is a persona and which is reset before each test', () => {
  project.lend('@playwright/test', 'playwright', 'playwright-core')
  project.write(
    'playwright.config.mjs',
    `export default {
      testMatch: '*.spec.mjs',
      reporter: 'line',
      use: { launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] } },
    }`,
  )
  project.write(
    'persona.spec.mjs',
    `import { test as base, expect } from '@playwright/test'
    import { sandboxFixtures } from 'agekey-sandbox/playwright'
    const test = base.extend(sandboxFixtures())
    const url = (sandbox) => sandbox.baseUrl + '/v1/oidc/use?' + new URLSearchParams({
      scope: 'openid', response_type: 'id_token', client_id: 'ak_test_sandbox', state: 's', nonce: 'n',
      redirect_uri: sandbox.baseUrl + '/nowhere', claims: '{"age_thresholds":[16,18]}',
    })
    test('a persona needs no page', async ({ page, sandbox }) => {
      await sandbox.as('teen-16')
      await page.goto(url(sandbox))
      expect(page.url()).toContain('#id_token=')
      expect((await sandbox.flows.last()).age_thresholds).toEqual({ 16: true, 18: false })
    })
    test('the next test begins without a persona', async ({ page, sandbox }) => {
      expect(await sandbox.flows.list()).toEqual([])
      await page.goto(url(sandbox))
      await expect(page.getByTestId('persona-teen-16')).toBeVisible()
    })
    test('an unknown persona is refused', async ({ sandbox }) => {
      await expect(sandbox.as('teen-61')).rejects.toThrow('teen-61')
    })`,
  )
  expect(node('node_modules/@playwright/test/cli.js', 'test')).toMatch(/3 passed/)
})
