import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { shareSandbox } from './outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from './support/express-example.ts'
import { makePlaywrightProject } from './support/playwright-project.ts'
import { USE_ALONE } from './support/visits.ts'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })
const sandbox = shareSandbox()

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

const project = await makePlaywrightProject({ 'playwright.config.ts': CONFIG, 'audit.spec.ts': SPEC })
afterAll(project.remove)

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
  const report = await project.run({ APP_URL: app.url, SANDBOX_URL: sandbox().url }, ...args)
  const specs = reportSchema.parse(report).suites.flatMap((suite) => suite.specs)
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
