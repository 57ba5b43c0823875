import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { findBrokenApp } from './audit/apps/broken-apps.ts'
import { startExpressExample } from './support/express-example.ts'
import { makeProject } from './support/project.ts'
import { shareSandbox } from './support/sandbox.ts'
import { USE_ALONE } from './support/visits.ts'

const sandbox = await shareSandbox()

const SUITE = `
import { auditTests, setupSandbox } from 'agekey-sandbox/vitest'

const sandbox = await setupSandbox({ url: process.env.SANDBOX_URL })
const visit = async ({ open }) => (await open(process.env.APP_URL + '/verify')).text.includes('Welcome, you are 18.')
await auditTests(sandbox, visit, { only: ['use/id_token.nonce_missing', 'use/id_token.expired', 'use/id_token.extra_claim', 'create/created'] })
`

const result = z.object({
  title: z.string(),
  status: z.string(),
  failureMessages: z.array(z.string()),
})
const resultsSchema = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(result) })),
})

test('The tests of an audit in Vitest fail by the rows that an app lets in', async () => {
  const app = await startExpressExample(sandbox, [
    ...USE_ALONE,
    ...findBrokenApp('compares no nonce').changes,
  ])
  onTestFinished(() => app.stop())
  const project = await makeProject('vitest')
  project.write({ 'audit.test.js': SUITE })
  const program = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json']
  const env = { APP_URL: app.url, SANDBOX_URL: sandbox.baseUrl }
  const { code, stdout } = await project.run(process.execPath, program, env)
  expect(code).toBe(1)
  const { testResults } = resultsSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))))
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  expect(results.map(({ title, status }) => `${title}: ${status}`)).toEqual([
    'an adult is let in: passed',
    'a minor is kept out: passed',
    'a user who declines is kept out: passed',
    'create/created is accepted: skipped',
    'use/id_token.extra_claim is accepted: passed',
    'use/id_token.nonce_missing is refused: failed',
    'use/id_token.expired is refused: passed',
  ])
  expect(results.flatMap(({ failureMessages }) => failureMessages)).toEqual([
    expect.stringMatching(
      /^AuditFinding: use\/id_token\.nonce_\w+: let in \(must.*\nWhat happened: .*\nHarm: .*\nCheck: /,
    ),
  ])
}, 120_000)
