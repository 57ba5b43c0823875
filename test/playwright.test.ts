import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { auditTests, type PlaywrightSandbox, sandboxFixtures } from '../src/playwright.ts'
import type { SandboxApi } from '../src/server/client/sandbox-api.ts'
import { endingsIn, readKept } from './support/kept-coverage.ts'
import { makeProject, PLAYWRIGHT, PLAYWRIGHT_TEST } from './support/project.ts'
import { claims, useRequest } from './support/requests.ts'
import { startSandbox } from './support/sandbox.ts'

test('as() gives the browser cookies for the base URL', async () => {
  const { url } = await startSandbox({ baseUrl: 'http://localhost:9999', trustProxy: ['loopback'] })
  const { workerSandbox, sandbox } = sandboxFixtures({ url })
  const cookies: object[] = []
  const context = { addCookies: async (added: readonly object[]) => void cookies.push(...added) }
  const [open] = workerSandbox
  const attach = () => Promise.reject(new Error('nothing failed'))
  const ending = {
    status: 'passed',
    expectedStatus: 'passed',
    titlePath: ['a.spec.ts', 'a test'],
    attach,
  } as const
  const act = async ({ as }: PlaywrightSandbox) => {
    await as('teen-16', { outcome: 'access_denied' })
    await as('child-12')
  }
  const drive = (workerSandbox: SandboxApi) => sandbox({ workerSandbox, context }, act, ending)
  await open({}, drive, { parallelIndex: 0, workerIndex: 0 })
  const hosted = { url: 'http://localhost:9999/v1/oidc/' }
  const given = (persona: string, outcome = '') => {
    const value = encodeURIComponent(`at=&persona=${persona}&outcome=${outcome}`)
    return [
      { name: 'agekey_sandbox_persona', value: persona, ...hosted },
      { name: 'agekey_sandbox_outcome', value: outcome, ...hosted },
      { name: 'agekey_sandbox_acting', value, url: 'http://localhost:9999/' },
    ]
  }
  expect(cookies).toEqual([...given('teen-16', 'access_denied'), ...given('child-12')])
})

test('A second worker of Playwright that uses the sandbox of the first, not a tenant of its own, is warned', async () => {
  const { url } = await startSandbox()
  const warned = once(process, 'warning')
  for (const options of [{ url: url.replace('127.0.0.1', 'localhost'), ownTenant: true }, { url }])
    await sandboxFixtures(options).workerSandbox[0]({}, async () => {}, {
      parallelIndex: 1,
      workerIndex: 1,
    })
  const message = expect.stringContaining(
    `several Playwright workers use the sandbox at ${url}, and each resets it`,
  )
  expect(await warned).toMatchObject([{ name: 'AgekeySandboxWarning', message }])
})

test('Each test of an audit in Playwright may take as long as forty visits', async () => {
  const bodies: ((fixtures: object, info: object) => Promise<void>)[] = []
  const register = (_title: string, body: (typeof bodies)[number]) => bodies.push(body)
  const choices = { only: ['use/id_token.expired'], timeoutSeconds: 2 }
  Reflect.apply(auditTests, undefined, [register, () => true, choices])
  const limits: number[] = []
  const info = { setTimeout: (milliseconds: number) => limits.push(milliseconds) }
  // There is no sandbox to visit.
  await Promise.allSettled(bodies.map((body) => body({}, info)))
  expect(limits).toEqual([80_000, 80_000, 80_000, 80_000])
})

test.each([
  ['timedOut', 'passed'],
  ['passed', 'failed'],
])(
  'A Playwright test that ends as %s instead of %s has its flows in the report',
  async (status, expectedStatus) => {
    const workerSandbox = await startSandbox()
    const attached: string[] = []
    const ending = {
      status,
      expectedStatus,
      titlePath: [],
      attach: async (name: string) => void attached.push(name),
    }
    const visit = async () =>
      void (await workerSandbox.request.get('/v1/oidc/use').query(useRequest()))
    await sandboxFixtures().sandbox(
      { workerSandbox, context: { addCookies: async () => {} } },
      visit,
      ending,
    )
    expect(attached).toEqual(['agekey-flows.txt', 'agekey-flows.json'])
  },
)

const QUERY = new URLSearchParams(
  useRequest({ claims: claims({ age_thresholds: [18] }) }),
).toString()

/**
 * A test file with a sandbox of these options. The fixtures use no more of a context than its
 * cookies, so no browser is started.
 */
const spec = (options: string, tests: string) => `
import { test as base, expect } from '@playwright/test'
import { sandboxFixtures } from 'agekey-sandbox/playwright'

const test = base.extend({
  ...sandboxFixtures(${options}),
  context: async ({}, use) => use({ addCookies: async () => {} }),
})
const visit = (sandbox, more) => fetch(sandbox.baseUrl + '/v1/oidc/use?${QUERY}&' + more, { redirect: 'manual' })
test.describe('a shop', () => {${tests}})
`
const seeing = (name: string, persona: string) =>
  `test('${name}', async ({ sandbox }) => void (await visit(sandbox, 'sandbox_persona=${persona}')))`
const ADULT = seeing('lets an adult in', 'adult-passport')
const TEEN = seeing('keeps a teen out', 'teen-16')

const FAILING = `
  test('passes', async ({ sandbox }) => void (await visit(sandbox, 'sandbox_persona=adult-passport')))
  test('fails', async ({ sandbox }) => {
    await visit(sandbox, 'sandbox_persona=teen-16&foo=1')
    await visit(sandbox, 'sandbox_outcome=access_denied')
    expect(1).toBe(2)
  })
  test('fails without a flow', ({ sandbox }) => {
    expect(sandbox.baseUrl).toBe('')
  })
`
const OWN = '{ coverage: "kept" }'
const SHARED = '{ coverage: "kept-of-all", url: process.env.SANDBOX_URL }'
const attachment = z.object({
  name: z.string(),
  body: z.string().optional(),
  contentType: z.string(),
})
const result = z.object({ attachments: z.array(attachment) })
const ended = z.object({
  title: z.string(),
  tests: z.array(z.object({ results: z.array(result) })),
})
const suite = z.object({ specs: z.array(ended) })
const reportSchema = z.object({ suites: z.array(z.object({ suites: z.array(suite) })) })

test('Two workers of Playwright keep the coverage of their sandboxes', async () => {
  const project = await makeProject(...PLAYWRIGHT)
  project.write({
    'playwright.config.ts': "export default { reporter: 'json', fullyParallel: true, workers: 2 }",
    'own-one.spec.ts': spec(OWN, ADULT),
    'own-two.spec.ts': spec(OWN, TEEN),
    'shared-one.spec.ts': spec(SHARED, ADULT),
    'shared-two.spec.ts': spec(SHARED, TEEN),
    'failing.spec.ts': spec('', FAILING),
  })
  const env = { SANDBOX_URL: (await startSandbox()).url }
  const { suites } = reportSchema.parse(
    JSON.parse((await project.run(process.execPath, PLAYWRIGHT_TEST, env)).stdout),
  )

  const keptIn = (folder: string) => readKept(join(project.folder, folder, 'playwright'))
  expect(keptIn('kept').files).toBe(2)
  expect(endingsIn(keptIn('kept').names)).toEqual(['none_met', 'verified'])
  expect(keptIn('kept-of-all').files).toBe(2)
  expect(endingsIn(keptIn('kept-of-all').names)).toEqual(['none_met', 'verified'])

  const attached = (test: string) =>
    suites
      .flatMap((file) => file.suites.flatMap((suite) => suite.specs))
      .filter(({ title }) => title === test)
      .flatMap(({ tests }) => tests[0]?.results[0]?.attachments ?? [])
      .filter(({ name }) => name.startsWith('agekey-'))
      .map(({ body = '', ...rest }) => ({
        ...rest,
        body: Buffer.from(body, 'base64').toString('utf8'),
      }))
  expect(attached('passes')).toEqual([])
  expect(attached('fails without a flow')).toEqual([])
  const [text, json] = attached('fails')
  expect(text).toMatchObject({ name: 'agekey-flows.txt', contentType: 'text/plain' })
  expect(text?.body).toMatch(/^f\d+ use ok: teen-16: 18 no.*\n/)
  expect(text?.body).toContain('  18: no. ')
  expect(text?.body).toContain('advice USE-11: ')
  expect(text?.body).toMatch(/\n\nf\d+ use declined: /)
  expect(json).toMatchObject({ name: 'agekey-flows.json', contentType: 'application/json' })
  expect(JSON.parse(json?.body ?? '')).toMatchObject([
    { persona: 'teen-16', status: 'ok', calls: [{ endpoint: 'E1' }], reasons: expect.any(Array) },
    { outcome: 'access_denied', status: 'declined' },
  ])
}, 120_000)
