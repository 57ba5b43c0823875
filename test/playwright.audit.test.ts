import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { shareSandbox } from './outcomes/shared-sandbox.ts'
import { buildPackage } from './support/built-package.ts'
import { type Changes, startExpressExample } from './support/express-example.ts'
import { USE_ALONE } from './support/visits.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
const sandbox = shareSandbox()

/** Outside the repository: Playwright compiles no TypeScript below `node_modules`. */
const folder = mkdtempSync(join(tmpdir(), 'agekey-pages-'))

const SPEC = `
import { test as base } from '@playwright/test'
import { auditTests, sandboxFixtures } from 'agekey-sandbox/playwright'

const test = base.extend(sandboxFixtures({ url: process.env.SANDBOX_URL }))
auditTests(test, async ({ page, n }) => {
  if ((await page.context().cookies()).length > 0) throw new Error('visit ' + n + ' does not begin in a fresh context')
  await page.goto('/verify')
  return page.getByText('Welcome, you are 18.').isVisible()
}, { only: ['use/id_token.nonce_missing', 'use/id_token.expired', 'create/created'] })
`

const CONFIG = `export default {
  reporter: 'json',
  workers: 1,
  use: {
    baseURL: process.env.APP_URL,
    launchOptions: { executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] },
  },
}`

beforeAll(() => {
  const installed = join(folder, 'node_modules')
  for (const name of ['@playwright/test', 'playwright', 'playwright-core']) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(installed, name))
  }
  buildPackage(join(installed, 'agekey-sandbox'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(folder, 'playwright.config.ts'), CONFIG)
  writeFileSync(join(folder, 'audit.spec.ts'), SPEC)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const resultSchema = z.object({ status: z.string(), errors: z.array(z.object({ message: z.string().optional() })) })
const reportSchema = z.object({
  suites: z.array(
    z.object({
      specs: z.array(z.object({ title: z.string(), tests: z.array(z.object({ results: z.array(resultSchema) })) })),
    }),
  ),
})

/** Runs the suite by Playwright at the example app with some changes. @returns how each test ended */
async function runSuite(changes: Changes, ...args: string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const app = await startExpressExample(sandbox(), [...USE_ALONE, ...changes])
  onTestFinished(() => app.stop())
  const program = [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test', ...args]
  const env = { ...process.env, NODE_OPTIONS: '', APP_URL: app.url, SANDBOX_URL: sandbox().url }
  const run = promisify(execFile)(process.execPath, program, { cwd: folder, env })
  const { stdout } = await run.catch((failed) => failed)
  const specs = reportSchema.parse(JSON.parse(stdout)).suites.flatMap((suite) => suite.specs)
  return new Map(
    specs.map(({ title, tests }) => {
      const results = tests.flatMap((one) => one.results)
      return [title, results.flatMap(({ status, errors }) => [status, ...errors.map(({ message = '' }) => message)])]
    }),
  )
}

test('The tests of an audit in Playwright find what an app lets in, by pages, and skip what is not for it', async () => {
  const results = await runSuite([['    payload.nonce === nonce &&\n', '']])
  expect([...results]).toEqual([
    ['an adult is let in', ['passed']],
    ['a minor is kept out', ['passed']],
    ['a user who declines is kept out', ['passed']],
    ['create/created is accepted', ['skipped']],
    ['use/id_token.nonce_missing is refused', ['failed', expect.stringContaining('visit returned true')]],
    ['use/id_token.expired is refused', ['passed']],
  ])
})

test('A test of an audit in Playwright fails at an app that refuses everything, also when it is the only one', async () => {
  const results = await runSuite([['Welcome, you are 18.', 'Not you.']], '-g', 'expired is refused')
  expect([...results]).toEqual([
    ['use/id_token.expired is refused', ['failed', expect.stringContaining('visit returned false for a right token')]],
  ])
})
