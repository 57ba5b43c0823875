import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { findBrokenApp } from './audit/apps/broken-apps.ts'
import { shareSandbox } from './outcomes/shared-sandbox.ts'
import { startExpressExample } from './support/express-example.ts'
import { USE_ALONE } from './support/visits.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

const sandbox = shareSandbox()

/** Outside the repository, whose settings are not those of the tests in it. */
const folder = mkdtempSync(join(tmpdir(), 'agekey-vitest-'))

const SUITE = `
import { auditTests, setupSandbox } from ${JSON.stringify(join(ROOT, 'src/vitest.ts'))}

const sandbox = await setupSandbox({ url: process.env.SANDBOX_URL })
const visit = async ({ open }) => (await open(process.env.APP_URL + '/verify')).text.includes('Welcome, you are 18.')
await auditTests(sandbox, visit, { only: ['use/id_token.nonce_missing', 'use/id_token.expired', 'use/id_token.extra_claim', 'create/created'] })
`

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(folder, 'audit.test.js'), SUITE)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const resultsSchema = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})

test('The tests of an audit in Vitest fail by the rows that an app lets in, and skip a row that is not for it', async () => {
  const app = await startExpressExample(sandbox(), [...USE_ALONE, ...findBrokenApp('compares no nonce').changes])
  onTestFinished(() => app.stop())
  const program = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter=json']
  const env = { ...process.env, APP_URL: app.url, SANDBOX_URL: sandbox().url, VITEST: undefined }
  const run = promisify(execFile)(process.execPath, program, { cwd: folder, env })
  const { stdout, code } = await run.catch((failed) => failed)
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
    expect.stringMatching(/^AuditFinding: use\/id_token\.nonce_\w+: let in \(must.*\n.*\nCheck: /),
  ])
}, 120_000)
