import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readKept } from './support/kept-coverage.ts'
import { makeProject } from './support/project.ts'
import { claims, sendUse, useRequest } from './support/requests.ts'
import { startSandbox } from './support/sandbox.ts'

const QUERY = new URLSearchParams(
  useRequest({ claims: claims({ age_thresholds: [18] }) }),
).toString()

/** Two test files with a sandbox of these options: each test drives a flow as a persona. */
function suites(folder: string, options: string): Readonly<Record<string, string>> {
  const suite = (...tests: readonly string[]) => `
import { describe, test } from 'vitest'
import { setupSandbox } from 'agekey-sandbox/vitest'

const sandbox = await setupSandbox(${options})
const visit = async (persona) => {
  await fetch(sandbox.baseUrl + '/v1/oidc/use?${QUERY}&sandbox_persona=' + persona, { redirect: 'manual' })
}
describe('a shop', () => {
  ${tests.join('\n  ')}
})
`
  const adults = ['lets an adult in', 'lets another in'].map(
    (name) => `test('${name}', () => visit('adult-passport'))`,
  )
  return {
    [`${folder}/one.test.js`]: suite(...adults),
    [`${folder}/two.test.js`]: suite("test('keeps a teen out', () => visit('teen-16'))"),
  }
}

/** What both test files have seen, without the id of the claims. */
const SEEN = [
  expect.stringMatching(/^answer [\da-f]{8}\/18 false$/),
  expect.stringMatching(/^answer [\da-f]{8}\/18 true$/),
  'asked no_can_create',
  'asked use',
  'ending none_met',
  'ending verified',
  'row use/verified',
]

/** One file after the other, as a sandbox of several takes them: each resets it. */
const CONFIG = `
const project = (name, pool) => ({ test: { name, pool, include: [name + '/*.test.js'] } })
export default {
  test: {
    fileParallelism: false,
    projects: [project('own', 'forks'), project('threads', 'threads'), project('shared', 'forks'), project('tenant', 'forks')],
  },
}`

test('The coverage of tests in Vitest is kept by each worker', async () => {
  const { url } = await startSandbox()
  // Before the run: it is not counted.
  await sendUse(url, { sandbox_outcome: 'access_denied' })
  const project = await makeProject('vitest')
  project.write({
    'vitest.config.js': CONFIG,
    ...suites('own', '{ coverage: true }'),
    ...suites('threads', '{ coverage: "kept-by-threads" }'),
    ...suites('shared', '{ coverage: "kept-of-all", url: process.env.SANDBOX_URL }'),
    ...suites(
      'tenant',
      '{ coverage: "kept-of-tenants", url: process.env.SANDBOX_URL, ownTenant: true }',
    ),
  })
  const ended = await project.run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], {
    SANDBOX_URL: url,
  })
  expect(ended).toMatchObject({ code: 0 })

  const keptIn = (name: string) => readKept(join(project.folder, name, 'vitest'))
  for (const folder of ['.agekey-coverage', 'kept-by-threads', 'kept-of-all', 'kept-of-tenants'])
    expect(keptIn(folder)).toEqual({ files: 2, names: SEEN })
  const kept = readdirSync(join(project.folder, '.agekey-coverage/vitest'))
  // Named after the test file, so that its next run in watch mode replaces it.
  expect(kept.filter((name) => /^[\d-]+\.[\da-f]{16}-0\.json$/.test(name))).toHaveLength(2)
}, 120_000)
