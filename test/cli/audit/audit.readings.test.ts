import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type AuditReport, auditReportSchema } from '../../../src/sandbox/outcomes/audit-report.ts'
import { variantName } from '../../../src/sandbox/outcomes/report/readings-text.ts'
import { DEPENDS_ON_THREE, USE_ALONE } from '../../audit/apps/dependent-apps.ts'
import { startExpressExample } from '../../support/express-example.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'
import { MIXED } from './reports/sample-report.ts'
import { startSmallApp } from './small-app.ts'

const { run, launch } = await buildCli()

/** Below the project, so that the apps find their libraries. */
let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(fileURLToPath(new URL('./apps-', import.meta.url)))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const argsFor = (url: string, ...more: readonly string[]) => ['audit', '--url', url, '--readings', ...more]
const reportIn = (file: string): AuditReport =>
  auditReportSchema.parse(JSON.parse(readFileSync(join(cwd, file), 'utf8')))
const namesWith = ({ readings }: AuditReport, verdict: string) =>
  readings?.variants.filter((one) => one.verdict === verdict).map(variantName) ?? []

test('audit --readings ends with one line and 0, keeps the rows of the last audit, and puts the readings back', async () => {
  const sandbox = await startSandbox()
  await sandbox.configure({ readings: { typ: 'absent' } })
  const app = await startSmallApp(sandbox.baseUrl)
  mkdirSync(join(cwd, '.agekey-audit'))
  writeFileSync(join(cwd, '.agekey-audit/last.json'), JSON.stringify({ ...MIXED, app: app.page }))
  const { code, stdout, stderr } = await run([...argsFor(sandbox.url), app.page], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/readings \d+\/\d+\n$/) })
  expect(stdout).toMatch(/\nreadings: works under \d+ of \d+; \d+ undetermined; [\d.]+ seconds\n/)
  expect(stdout).toContain(`What was found, with the flows: ${sandbox.baseUrl}/_sandbox/console/audit`)
  const last = reportIn('.agekey-audit/last.json')
  expect(last.rows).toEqual(MIXED.rows)
  // What the tenant has set is the usual reading, and the default of the table is another variant.
  expect(namesWith(last, 'works')).toContain('typ=JWT')
  expect(namesWith(last, 'works')).not.toContain('typ=absent')
  expect(await sandbox.readings()).toEqual({ readings: { typ: 'absent' } })
}, 60_000)

test('audit --readings --fail-on-readings ends with 1 for an app that depends on one, and names it in each report', async () => {
  const sandbox = await startSandbox()
  const app = await startExpressExample(sandbox, [...USE_ALONE, ...DEPENDS_ON_THREE])
  onTestFinished(() => app.stop())
  const files = ['--json', 'r.json', '--junit', 'r.xml', '--sarif', 'r.sarif', '--markdown', 'r.md']
  const { code, stdout } = await run([...argsFor(sandbox.url, '--fail-on-readings', ...files), `${app.url}/verify`], {
    cwd,
  })
  expect(code).toBe(1)
  expect(stdout).toContain('depends on error_description=present: it fails under error_description=absent')
  expect(reportIn('r.json').exit_code).toBe(1)
  for (const file of ['r.xml', 'r.sarif', 'r.md'])
    expect(readFileSync(join(cwd, file), 'utf8')).toMatch(/error\\?_description=absent|error_description=present/)
}, 60_000)

test('audit --readings puts the readings back when it is interrupted', async () => {
  const sandbox = await startSandbox()
  await sandbox.configure({ readings: { typ: 'absent' }, grease: 'seed' })
  const app = await startSmallApp(sandbox.baseUrl)
  const { child, ended } = launch([...argsFor(sandbox.url), app.page], { cwd })
  await expect
    .poll(() => sandbox.readings(), { interval: 5, timeout: 20_000 })
    .not.toEqual({
      readings: { typ: 'absent' },
      grease: 'seed',
    })
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  expect(await sandbox.readings()).toEqual({ readings: { typ: 'absent' }, grease: 'seed' })
}, 60_000)

/** Reads discovery and keys at its start, and needs a member of discovery that is not required. */
const READS_AT_START = `
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { createRemoteJWKSet, jwtVerify } from 'jose'
const { PORT, AGE_BASE_URL } = process.env
const issuer = AGE_BASE_URL + '/v1/oidc/use'
const discovery = await (await fetch(issuer + '/.well-known/openid-configuration')).json()
if (!discovery.scopes_supported.includes('openid')) throw new Error('no scope openid')
const keys = createRemoteJWKSet(new URL(discovery.jwks_uri))
const nonces = new Map()
createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost:' + PORT)
  try {
    if (url.pathname === '/verify') {
      const [state, nonce] = [randomUUID(), randomUUID()]
      nonces.set(state, nonce)
      const query = new URLSearchParams({ scope: 'openid', response_type: 'id_token', response_mode: 'query', client_id: 'ak_test_sandbox', redirect_uri: url.origin + '/callback', claims: '{"age_thresholds":[18]}', state, nonce })
      return response.writeHead(302, { Location: discovery.authorization_endpoint + '?' + query }).end()
    }
    if (url.pathname !== '/callback') return response.end('home')
    const nonce = nonces.get(url.searchParams.get('state'))
    const { payload } = await jwtVerify(url.searchParams.get('id_token') ?? '', keys, { issuer, audience: 'ak_test_sandbox' })
    if (!nonce || payload.nonce !== nonce || payload.age_thresholds[18] !== true) throw new Error('no proof')
    response.end('Welcome, you may enter.')
  } catch (error) {
    response.writeHead(400).end('This is no proof.')
  }
}).listen(PORT, 'localhost')
`

test('audit --readings restarts the app for each reading of discovery and keys, and removes its tenants afterwards', async () => {
  const sandbox = await startSandbox()
  writeFileSync(join(cwd, 'app.mjs'), READS_AT_START)
  const start = `PORT={port} AGE_BASE_URL={base_url} exec "${process.execPath}" app.mjs`
  const args = [...argsFor(sandbox.url), 'http://localhost:{port}/verify', '--start', start, '--jobs', '2']
  const { code, stdout } = await run([...args, '--json', 'r.json'], { cwd })
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/readings: works .* depends on discovery=full/),
  })
  const report = reportIn('r.json')
  expect(namesWith(report, 'depends')).toEqual(['discovery=minimal'])
  expect(namesWith(report, 'works')).toEqual(
    expect.arrayContaining(['key_set=one', 'key_set=three', 'key_members=minimal']),
  )
  const tenants = await (await fetch(`${sandbox.url}/_sandbox/tenants`)).json()
  expect(tenants.tenants.map(({ name }: { name: string }) => name)).toEqual(['default'])
}, 90_000)

test('audit --readings leaves open what an app reads at its start, when it does not start it', async () => {
  const sandbox = await startSandbox()
  const app = await startSmallApp(sandbox.baseUrl)
  await run([...argsFor(sandbox.url, '--json', 'r.json'), app.page], { cwd })
  const discovery = reportIn('r.json').readings?.variants.find(({ reading }) => reading === 'discovery')
  expect(discovery).toMatchObject({
    verdict: 'undetermined',
    reason: expect.stringContaining('let the audit start yours'),
  })
}, 60_000)
