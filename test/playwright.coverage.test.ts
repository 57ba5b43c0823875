import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { packageVersion } from '../src/package-root.ts'
import type { CoverageCounters } from '../src/sandbox/coverage/counters.ts'
import { mergeCoverage } from '../src/sandbox/coverage/merge-coverage.ts'
import { parseCoverage } from '../src/sandbox/coverage/parse-coverage.ts'
import { makePlaywrightProject } from './support/playwright-project.ts'
import { claims, useRequest } from './support/requests.ts'
import { startSandbox } from './support/sandbox.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const QUERY = new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18] }) })).toString()

/** The fixtures use no more of a context than its cookies, so no browser is started. */
const spec = (name: string, persona: string) => `
import { test as base } from '@playwright/test'
import { sandboxFixtures } from 'agekey-sandbox/playwright'

const test = base.extend({
  ...sandboxFixtures({ coverage: 'reports/age', ...JSON.parse(process.env.SANDBOX ?? '{}') }),
  context: async ({}, use) => use({ addCookies: async () => {} }),
})
test.describe('a shop', () => {
  test('${name}', async ({ sandbox }) => {
    await fetch(sandbox.baseUrl + '/v1/oidc/use?${QUERY}&sandbox_persona=${persona}', { redirect: 'manual' })
  })
})
`

const project = await makePlaywrightProject({
  'playwright.config.ts': "export default { reporter: 'json', fullyParallel: true }",
  'one.spec.ts': spec('lets an adult in', 'adult-passport'),
  'two.spec.ts': spec('keeps a teen out', 'teen-16'),
})
afterAll(project.remove)

/** Runs the tests. @returns what all workers kept */
async function runTests(sandbox: object, ...args: string[]): Promise<CoverageCounters & { files: number }> {
  await project.run({ SANDBOX: JSON.stringify(sandbox) }, ...args)
  const kept = join(project.folder, 'reports/age/playwright')
  const files = readdirSync(kept).filter((name) => name.endsWith('.json'))
  const parts = files.map((name) => parseCoverage(readFileSync(join(kept, name), 'utf8'), name))
  return { ...mergeCoverage(parts, packageVersion()), files: files.length }
}

const SEEN = [
  {
    thresholds: {
      18: {
        true: { count: 1, tests: ['a shop > lets an adult in'] },
        false: { count: 1, tests: ['a shop > keeps a teen out'] },
      },
    },
  },
]

test('coverage of tests in Playwright is kept by each worker in the folder that was named, and by the next run instead', async () => {
  expect(await runTests({}, '--workers=2')).toMatchObject({ claims: SEEN, files: 2 })
  const { claims, files } = await runTests({}, 'two')
  expect({ claims, files }).toMatchObject({ claims: [{ thresholds: { 18: { false: { count: 1 } } } }], files: 1 })
})

test('coverage of tests in Playwright counts a sandbox once that two workers use', async () => {
  const { url } = await startSandbox()
  // Which of two tests that run at the same time saw an answer, a sandbox of both cannot know.
  expect(await runTests({ url }, '--workers=2')).toMatchObject({
    claims: [{ thresholds: { 18: { true: { count: 1 }, false: { count: 1 } } } }],
    asked: { use: { count: 2 } },
    files: 1,
  })
})
