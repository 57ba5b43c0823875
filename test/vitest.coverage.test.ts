import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { packageVersion } from '../src/package-root.ts'
import type { CoverageCounters } from '../src/sandbox/coverage/counters.ts'
import { mergeCoverage } from '../src/sandbox/coverage/merge-coverage.ts'
import { parseCoverage } from '../src/sandbox/coverage/parse-coverage.ts'
import { buildPackage } from './support/built-package.ts'
import { claims, useRequest } from './support/requests.ts'
import { startSandbox } from './support/sandbox.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const QUERY = new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18] }) })).toString()

vi.setConfig({ testTimeout: 120_000 })

/** Outside the repository, whose settings are not those of the tests in it. */
const folder = mkdtempSync(join(tmpdir(), 'agekey-vitest-'))
const KEPT = join(folder, '.agekey-coverage/vitest')

/** Tests of one file: each drives a flow as a persona. */
const suite = (tests: readonly (readonly [name: string, persona: string])[]) => `
import { describe, test } from 'vitest'
import { setupSandbox } from 'agekey-sandbox/vitest'

const sandbox = await setupSandbox({ coverage: true, ...JSON.parse(process.env.SANDBOX ?? '{}') })
const visit = async (persona) => {
  await fetch(sandbox.baseUrl + '/v1/oidc/use?${QUERY}&sandbox_persona=' + persona, { redirect: 'manual' })
}
describe('a shop', () => {
  ${tests.map(([name, persona]) => `test('${name}', () => visit('${persona}'))`).join('\n  ')}
})
`

beforeAll(async () => {
  mkdirSync(join(folder, 'node_modules'))
  // The sources themselves would be compiled again by each run.
  await buildPackage(join(folder, 'node_modules/agekey-sandbox'))
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(
    join(folder, 'one.test.js'),
    suite([
      ['lets an adult in', 'adult-passport'],
      ['lets another in', 'adult-passport'],
    ]),
  )
  writeFileSync(join(folder, 'two.test.js'), suite([['keeps a teen out', 'teen-16']]))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the files by Vitest. @returns what all workers kept */
async function runTests(sandbox: object, ...args: string[]): Promise<CoverageCounters> {
  const program = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, ...args]
  const env = { ...process.env, SANDBOX: JSON.stringify(sandbox), VITEST: undefined }
  await promisify(execFile)(process.execPath, program, { cwd: folder, env })
  const files = readdirSync(KEPT).filter((name) => name.endsWith('.json'))
  return mergeCoverage(
    files.map((name) => parseCoverage(readFileSync(join(KEPT, name), 'utf8'), name)),
    packageVersion(),
  )
}

const ADULTS = { count: 2, tests: ['a shop > lets an adult in', 'a shop > lets another in'] }
const TEEN = { count: 1, tests: ['a shop > keeps a teen out'] }

describe('Coverage of tests in Vitest', () => {
  test.each(['forks', 'threads'])('is kept by each worker of the pool %s, with the tests that saw it', async (pool) => {
    const { claims } = await runTests({}, '--pool', pool)
    expect(claims).toMatchObject([{ thresholds: { 18: { true: ADULTS, false: TEEN } } }])
    expect(readdirSync(KEPT).filter((name) => name.endsWith('.json'))).toHaveLength(2)
  })

  test('replaces what an earlier run left, and leaves files that a run still writes', async () => {
    writeFileSync(join(KEPT, '999999999.gone.json'), 'of a process that has ended')
    writeFileSync(join(KEPT, `${process.pid}-1.gone.json`), 'of a process of another time with an id in use')
    writeFileSync(join(KEPT, 'note.txt'), 'of no run')
    const { claims } = await runTests({}, 'two')
    expect(claims[0]?.thresholds).toEqual({ 18: { false: TEEN } })
    expect(readdirSync(KEPT).filter((name) => !name.endsWith('.json'))).toContain('note.txt')
    expect(readdirSync(KEPT).filter((name) => name.endsWith('.json'))).toHaveLength(1)
  })

  test('counts everything once when all workers use one sandbox, and nothing that came before the run', async () => {
    const { url } = await startSandbox()
    await fetch(`${url}/v1/oidc/use?${QUERY}&sandbox_persona=adult-passport`, { redirect: 'manual' })
    // One file after the other, as the sandbox takes them: each resets it.
    const { claims, asked } = await runTests({ url }, '--no-file-parallelism')
    expect(claims).toMatchObject([{ thresholds: { 18: { true: ADULTS, false: TEEN } } }])
    expect(asked['use']?.count).toBe(3)
    const again = await runTests({ url })
    expect(again.asked['use']?.count).toBe(3)
  })

  test('is that of the own tenant of each file, at a sandbox that runs', async () => {
    const { url } = await startSandbox()
    const { claims } = await runTests({ url, ownTenant: true })
    expect(claims).toMatchObject([{ thresholds: { 18: { true: ADULTS, false: TEEN } } }])
  })
})
