import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import * as z from 'zod'
import { shareSandbox } from './outcomes/shared-sandbox.ts'
import { type Changes, startExpressExample } from './support/express-example.ts'
import { USE_ALONE } from './support/visits.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

vi.setConfig({ testTimeout: 120_000 })
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

/** Runs the suite by Vitest at the example app with some changes. */
async function runSuite(changes: Changes, ...args: string[]) {
  const app = await startExpressExample(sandbox(), [...USE_ALONE, ...changes])
  onTestFinished(() => app.stop())
  const program = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, '--reporter=json', ...args]
  const env = { ...process.env, APP_URL: app.url, SANDBOX_URL: sandbox().url, VITEST: undefined }
  const { stdout, code = 0 } = await promisify(execFile)(process.execPath, program, { cwd: folder, env }).catch(
    (failed) => failed,
  )
  const { testResults } = resultsSchema.parse(JSON.parse(stdout.slice(stdout.indexOf('{'))))
  const results = testResults.flatMap(({ assertionResults }) => assertionResults)
  const withStatus = (status: string) => results.filter((one) => one.status === status).map(({ title }) => title)
  return { code, results, withStatus }
}

describe('The tests of an audit in Vitest', () => {
  test('pass at the example app; a row that is not for it is skipped', async () => {
    const { code, results, withStatus } = await runSuite([])
    expect(withStatus('failed')).toEqual([])
    expect(withStatus('passed').slice(0, 4)).toEqual([
      'an adult is let in',
      'a minor is kept out',
      'a user who declines is kept out',
      'use/id_token.extra_claim is accepted',
    ])
    expect(withStatus('passed')).toContain('use/id_token.nonce_missing is refused')
    const others = results.filter(({ status }) => status !== 'passed').map(({ title }) => title)
    expect(others).toEqual(['create/created is accepted'])
    expect(code).toBe(0)
  })

  test('fail by the rows that an app lets in, with what to know of each', async () => {
    const { code, results, withStatus } = await runSuite([['    payload.nonce === nonce &&\n', '']])
    expect(code).toBe(1)
    expect(withStatus('failed')).toEqual(['use/id_token.nonce_missing is refused'])
    const { failureMessages } = results.find(({ status }) => status === 'failed') ?? expect.fail('none failed')
    expect(failureMessages.join()).toMatch(/^AuditFinding: use\/id_token\.nonce_\w+: let in \(must.*\n.*\nCheck: /)
  })

  test('fail at an app that refuses everything, also when only one row is asked for', async () => {
    const args = ['-t', 'use/id_token.nonce_missing is refused']
    const { code, withStatus } = await runSuite([['Welcome, you are 18.', 'Not you.']], ...args)
    expect(withStatus('failed')).toEqual(['use/id_token.nonce_missing is refused'])
    expect(withStatus('passed')).toEqual([])
    expect(code).toBe(1)
  })
})
