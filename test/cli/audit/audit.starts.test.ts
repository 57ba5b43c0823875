import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type AuditedRow, auditReportSchema } from '../../../src/sandbox/outcomes/audit-report.ts'
import { startSandbox } from '../../support/sandbox.ts'
import { buildCli } from '../built-cli.ts'

const { run } = await buildCli()
const EXAMPLE = fileURLToPath(new URL('../../../examples/express/app.js', import.meta.url))

/** Below the project, so that the apps find their libraries. */
let cwd: string
beforeEach(() => {
  cwd = mkdtempSync(fileURLToPath(new URL('./apps-', import.meta.url)))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** Audits an app by rows that need a start of it each. */
async function audit(app: string, rows: readonly string[]) {
  writeFileSync(join(cwd, 'app.mjs'), app)
  writeFileSync(
    join(cwd, 'agekey-audit.yaml'),
    `app: http://localhost:{port}/verify
start:
  run: [${JSON.stringify(process.execPath)}, app.mjs]
  ready: http://localhost:{port}/
  env: { PORT: '{port}', AGE_BASE_URL: '{base_url}' }
`,
  )
  const sandbox = await startSandbox()
  const only = rows.flatMap((row) => ['--only', row])
  const args = ['audit', '--state-dir', 'none', '--url', sandbox.url, ...only, '--repeat', '1', '--json', 'report.json']
  const { stderr, stdout } = await run(args, { cwd })
  expect(stderr).not.toMatch(/^error/m)
  const report = auditReportSchema.parse(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')))
  return { ...report, stdout }
}

const verdictsOf = (rows: readonly AuditedRow[]) => Object.fromEntries(rows.map(({ row, verdict }) => [row, verdict]))

/** A page that sends to the service, and a callback that `read` decides by. */
const appWith = ({ head, read }: { head: string; read: string }) => `
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
${head}
const { PORT, AGE_BASE_URL } = process.env
const ISSUER = AGE_BASE_URL + '/v1/oidc/use'
const nonces = new Map()
${read}
createServer(async (request, response) => {
  const url = new URL(request.url, 'http://localhost:' + PORT)
  try {
    if (url.pathname === '/verify') {
      const [state, nonce] = [randomUUID(), randomUUID()]
      nonces.set(state, nonce)
      const query = new URLSearchParams({ scope: 'openid', response_type: 'id_token', response_mode: 'query', client_id: 'ak_test_sandbox', redirect_uri: url.origin + '/callback', claims: '{"age_thresholds":[18]}', state, nonce })
      return response.writeHead(302, { Location: await endpoint() + '?' + query }).end()
    }
    if (url.pathname !== '/callback') return response.end('home')
    const nonce = nonces.get(url.searchParams.get('state'))
    const claims = await read(url.searchParams.get('id_token') ?? '', nonce, url)
    if (!nonce || claims.nonce !== nonce || claims.age_thresholds[18] !== true) throw new Error('no proof')
    response.end('Welcome, you may enter.')
  } catch (error) {
    console.error(error)
    response.writeHead(url.pathname === '/verify' ? 503 : 400).end('This is no proof.')
  }
}).listen(PORT, 'localhost', () => console.log('listening'))
`

/** Reads discovery before it listens, by openid-client 6, and ends when that fails. */
const OPENID_CLIENT = appWith({
  head: `import * as client from 'openid-client'`,
  read: `
const config = await client.discovery(new URL(ISSUER), 'ak_test_sandbox', undefined, client.None(), {
  execute: [client.allowInsecureRequests, client.useIdTokenResponseType],
})
const endpoint = async () => config.serverMetadata().authorization_endpoint
const read = async (_token, nonce, url) => {
  const body = new URLSearchParams(url.search)
  const request = new Request(url.origin + '/callback', { method: 'POST', body })
  return client.implicitAuthentication(config, request, nonce, { expectedState: url.searchParams.get('state') })
}`,
})

/** Reads discovery with the first request, by fetch, and keys by jose. With \`checks: false\` it compares no issuer. */
const jose = ({ checks }: { checks: boolean }) =>
  appWith({
    head: `import { createRemoteJWKSet, jwtVerify } from 'jose'`,
    read: `
let found
async function discover() {
  const answer = await fetch(ISSUER + '/.well-known/openid-configuration', { redirect: ${checks ? "'error'" : "'follow'"} })
  const document = await answer.json()
  if (${checks} && document.issuer !== ISSUER) throw new Error('discovery names another issuer: ' + document.issuer)
  if (${checks} && new URL(document.jwks_uri).origin !== new URL(ISSUER).origin) throw new Error('the keys are on another host')
  return { endpoint: document.authorization_endpoint, keys: createRemoteJWKSet(new URL(document.jwks_uri)) }
}
const endpoint = async () => (found ??= await discover()).endpoint
const read = async (token) => (await jwtVerify(token, found.keys, { issuer: ISSUER, audience: 'ak_test_sandbox', requiredClaims: ['exp'] })).payload`,
  })

const ROWS = [
  'discovery/discovery.issuer_other',
  'discovery/discovery.extra_member',
  'discovery/discovery.500',
  'jwks/jwks.foreign_key_same_kid',
  'jwks/jwks.extra_key',
]

describe('Rows of discovery and keys, each by a start of the app,', () => {
  test('judge an app by openid-client 6, which reads discovery when it starts', async () => {
    const { rows, notes } = await audit(OPENID_CLIENT, ROWS)
    expect({ notes, verdicts: verdictsOf(rows) }).toEqual({
      notes: [],
      verdicts: {
        'discovery/discovery.issuer_other': 'refused',
        'discovery/discovery.extra_member': 'accepted',
        'discovery/discovery.500': 'observed',
        'jwks/jwks.foreign_key_same_kid': 'refused',
        'jwks/jwks.extra_key': 'accepted',
      },
    })
    const issuer = rows.find(({ row }) => row === 'discovery/discovery.issuer_other')
    expect(issuer?.evidence).toMatch(/^your app did not start: .* ended with code 1 /)
    // Its messages say which check refused.
    expect(issuer?.refused_by).toBe('issuer')
    const key = rows.find(({ row }) => row === 'jwks/jwks.foreign_key_same_kid')
    expect(key?.refused_by).toBe('signature')
  }, 90_000)

  test('judge an app by jose, which reads discovery with the first request', async () => {
    const { rows, notes } = await audit(jose({ checks: true }), [...ROWS, 'discovery/discovery.jwks_uri_on_other_host'])
    expect({ notes, verdicts: verdictsOf(rows) }).toEqual({
      notes: [],
      verdicts: {
        'discovery/discovery.issuer_other': 'refused',
        'discovery/discovery.extra_member': 'accepted',
        'discovery/discovery.500': 'observed',
        'discovery/discovery.jwks_uri_on_other_host': 'refused',
        'jwks/jwks.foreign_key_same_kid': 'refused',
        'jwks/jwks.extra_key': 'accepted',
      },
    })
  }, 90_000)

  test('find what an app takes that checks nothing of discovery, also when the foreign keys fail it later', async () => {
    const rows = [
      'discovery/discovery.issuer_other',
      'discovery/discovery.jwks_uri_on_other_host',
      'jwks/jwks.redirect',
    ]
    const report = await audit(jose({ checks: false }), rows)
    expect(verdictsOf(report.rows)).toEqual({
      'discovery/discovery.issuer_other': 'let in',
      'discovery/discovery.jwks_uri_on_other_host': 'let in',
      // jose follows no redirect.
      'jwks/jwks.redirect': 'refused',
    })
  }, 90_000)

  test('are not for an app that reads no discovery, and say so', async () => {
    const example = `await import(${JSON.stringify(EXAMPLE)})`
    const rows = ['discovery/discovery.issuer_other', 'discovery/discovery.extra_member', 'jwks/jwks.extra_key']
    const report = await audit(example, rows)
    expect(verdictsOf(report.rows)).toEqual({
      'discovery/discovery.issuer_other': 'not for this app',
      'discovery/discovery.extra_member': 'not for this app',
      'jwks/jwks.extra_key': 'accepted',
    })
    expect(report.rows[0]?.reason).toBe(
      'your app does not read a discovery document, not at its start and not for a token',
    )
  }, 90_000)
})
