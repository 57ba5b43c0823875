import { afterAll, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { makePlaywrightProject } from './support/playwright-project.ts'
import { claims, useRequest } from './support/requests.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const QUERY = new URLSearchParams(useRequest({ claims: claims({ age_thresholds: [18] }) })).toString()

/** The fixtures use no more of a context than its cookies, so no browser is started. */
const SPEC = `
import { test as base, expect } from '@playwright/test'
import { sandboxFixtures } from 'agekey-sandbox/playwright'

const test = base.extend({
  ...sandboxFixtures(),
  context: async ({}, use) => use({ addCookies: async () => {} }),
})
const visit = (sandbox, more) => fetch(sandbox.baseUrl + '/v1/oidc/use?${QUERY}' + more, { redirect: 'manual' })

test('passes', async ({ sandbox }) => {
  await visit(sandbox, '&sandbox_persona=adult-passport')
})
test('fails', async ({ sandbox }) => {
  await visit(sandbox, '&sandbox_persona=teen-16&foo=1')
  await visit(sandbox, '&sandbox_outcome=access_denied')
  expect(1).toBe(2)
})
test('fails without a flow', async ({ sandbox }) => {
  expect(sandbox.baseUrl).toBe('')
})
`

const attachment = z.object({ name: z.string(), body: z.string().optional(), contentType: z.string() })
const result = z.object({ attachments: z.array(attachment) })
const spec = z.object({ title: z.string(), tests: z.array(z.object({ results: z.array(result) })) })
const reportSchema = z.object({ suites: z.array(z.object({ specs: z.array(spec) })) })

const project = await makePlaywrightProject({
  'playwright.config.ts': "export default { reporter: 'json', workers: 1 }",
  'app.spec.ts': SPEC,
})
afterAll(project.remove)

test('the report of a failed test has the flows of that test, in words and as JSON; others have none', async () => {
  const { suites } = reportSchema.parse(await project.run({}))
  const attachments = new Map(
    suites[0]?.specs.map(({ title, tests }) => [
      title,
      tests[0]?.results[0]?.attachments.filter(({ name }) => name.startsWith('agekey-')),
    ]),
  )
  expect(attachments.get('passes')).toEqual([])
  expect(attachments.get('fails without a flow')).toEqual([])
  const [text, json] = attachments.get('fails') ?? []
  const bodyOf = (one = text) => Buffer.from(one?.body ?? '', 'base64').toString('utf8')

  expect(text).toMatchObject({ name: 'agekey-flows.txt', contentType: 'text/plain' })
  expect(bodyOf()).toMatch(/^f\d+ use ok: teen-16: 18 no.*\n/)
  expect(bodyOf()).toContain('  18: no. ')
  expect(bodyOf()).toContain('advice USE-11: ')
  expect(bodyOf()).toMatch(/\n\nf\d+ use error: declined/)
  expect(json).toMatchObject({ name: 'agekey-flows.json', contentType: 'application/json' })
  expect(JSON.parse(bodyOf(json))).toMatchObject([
    { persona: 'teen-16', status: 'ok', calls: [{ endpoint: 'E1' }], reasons: expect.any(Array) },
    { outcome: 'access_denied', status: 'error' },
  ])
})
