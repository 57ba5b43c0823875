import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { buildPackage } from './support/built-package.ts'
import { claims, useRequest } from './support/requests.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Outside the repository: Playwright compiles no TypeScript below `node_modules`. */
const folder = mkdtempSync(join(tmpdir(), 'agekey-report-'))

beforeAll(() => {
  const installed = join(folder, 'node_modules')
  for (const name of ['@playwright/test', 'playwright', 'playwright-core']) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(installed, name))
  }
  buildPackage(join(installed, 'agekey-sandbox'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(folder, 'playwright.config.ts'), "export default { reporter: 'json', workers: 1 }")
  writeFileSync(join(folder, 'app.spec.ts'), SPEC)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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

test('the report of a failed test has the flows of that test, in words and as JSON; others have none', async () => {
  const args = [join(ROOT, 'node_modules/@playwright/test/cli.js'), 'test']
  const env = { ...process.env, NODE_OPTIONS: '' }
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env }).catch((failed) => failed)
  const { suites } = JSON.parse(stdout)
  const attachments = new Map<string, { name: string; body: string; contentType: string }[]>(
    suites[0].specs.map(({ title, tests }: { title: string; tests: { results: { attachments: [] }[] }[] }) => [
      title,
      tests[0]?.results[0]?.attachments.filter(({ name }: { name: string }) => name.startsWith('agekey-')),
    ]),
  )
  expect(attachments.get('passes')).toEqual([])
  expect(attachments.get('fails without a flow')).toEqual([])
  const [text, json] = attachments.get('fails') ?? []
  const bodyOf = (attachment = text) => Buffer.from(attachment?.body ?? '', 'base64').toString('utf8')

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
