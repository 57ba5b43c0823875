import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { findBrokenApp } from './audit/apps/broken-apps.ts'
import { startExpressExample } from './support/express-example.ts'
import { makeProject, PLAYWRIGHT, PLAYWRIGHT_TEST } from './support/project.ts'
import { chromiumOfRun } from './support/run.ts'
import { shareSandbox } from './support/sandbox.ts'
import { describeWith } from './support/tools.ts'
import { USE_ALONE } from './support/visits.ts'

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
  use: { baseURL: process.env.APP_URL, connectOptions: JSON.parse(process.env.CHROMIUM) },
}`

const result = z.object({
  status: z.string(),
  errors: z.array(z.object({ message: z.string().optional() })),
})
const spec = z.object({ title: z.string(), tests: z.array(z.object({ results: z.array(result) })) })
const reportSchema = z.object({ suites: z.array(z.object({ specs: z.array(spec) })) })

describeWith('chromium', 'An audit in Playwright', async () => {
  const sandbox = await shareSandbox()

  test('Tests of an audit in Playwright fail for what an app lets in', async () => {
    const project = await makeProject(...PLAYWRIGHT)
    project.write({ 'playwright.config.ts': CONFIG, 'audit.spec.ts': SPEC })
    const app = await startExpressExample(sandbox, [
      ...USE_ALONE,
      ...findBrokenApp('does not look at exp').changes,
    ])
    onTestFinished(() => app.stop())
    const CHROMIUM = JSON.stringify(await chromiumOfRun())
    const env = { APP_URL: app.url, SANDBOX_URL: sandbox.baseUrl, CHROMIUM }
    const { stdout } = await project.run(process.execPath, PLAYWRIGHT_TEST, env)
    const specs = reportSchema.parse(JSON.parse(stdout)).suites.flatMap((suite) => suite.specs)
    const results = specs.map(({ title, tests }) => {
      const ended = tests.flatMap((one) => one.results)
      return [
        title,
        ...ended.flatMap(({ status, errors }) => [status, ...errors.map(({ message }) => message)]),
      ]
    })
    expect(results).toEqual([
      ['an adult is let in', 'passed'],
      ['a minor is kept out', 'passed'],
      ['a user who declines is kept out', 'passed'],
      ['create/created is accepted', 'skipped'],
      ['use/id_token.nonce_missing is refused', 'passed'],
      // Playwright starts another worker after a failure, which would learn again.
      ['use/id_token.expired is refused', 'failed', expect.stringContaining('visit returned true')],
    ])
  }, 120_000)
})
