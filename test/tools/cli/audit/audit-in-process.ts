import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest'
import { planAudit } from '../../../../src/audit/command/plan.ts'
import { auditApp } from '../../../../src/audit/command/run.ts'
import { readAuditFile } from '../../../../src/audit/command/settings/audit-file.ts'
import type { GivenFlags } from '../../../../src/audit/command/settings/flags.ts'
import { readFlags } from '../../../../src/audit/command/settings/read-flags.ts'
import { sameCall } from '../../../../src/audit/command/settings/same-call.ts'
import { type AuditReport, auditReportSchema } from '../../../../src/audit/report/audit-report.ts'
import { createMask } from '../../../../src/sandbox/clients/mask.ts'
import { loadSettings } from '../../../../src/server/config/load-settings.ts'
import type { Sandbox } from '../../../../src/server/create-sandbox.ts'
import {
  createAuditHost,
  openSandbox,
  preflight,
} from '../../../../src/tools/cli/audit/audit-command.ts'
import { findBrokenApp } from '../../../audit/apps/broken-apps.ts'
import { createScratchFolder } from '../../../docs/scratch-folder.ts'
import { type Changes, startExpressExample } from '../../../support/express-example.ts'
import { USE_ALONE } from '../../../support/visits.ts'

/**
 * Gives each test an empty working folder, in which programs find the packages of the repository.
 */
export function useScratchFolder(): void {
  const home = process.cwd()
  let remove = () => {}
  beforeEach(() => {
    const scratch = createScratchFolder()
    remove = scratch.remove
    process.chdir(scratch.folder)
  })
  afterEach(() => {
    process.chdir(home)
    remove()
  })
}

/** The report in a file. */
export const reportIn = (file: string): AuditReport =>
  auditReportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))

/** The names of the tenants of a sandbox. */
export async function tenantsOf({ url }: Pick<Sandbox, 'url'>): Promise<string[]> {
  const { tenants } = await (await fetch(`${url}/_sandbox/tenants`)).json()
  return tenants.map(({ name }: { name: string }) => name)
}

/**
 * Starts the Express example without Create and Upgrade, for one test.
 * @returns the page on which a user begins
 */
export async function startSmallApp(
  baseUrl: string,
  { exp = 'checked', changes = [] }: { exp?: 'checked' | 'ignored'; changes?: Changes } = {},
): Promise<string> {
  const faults = exp === 'checked' ? [] : findBrokenApp('does not look at exp').changes
  const app = await startExpressExample({ baseUrl, url: baseUrl }, [
    ...USE_ALONE,
    ...faults,
    ...changes,
  ])
  onTestFinished(() => app.stop())
  return `${app.url}/verify`
}

/**
 * How `agekey-audit.yaml` starts the Express example, or the app in a file of the working folder.
 */
export function writeStart(app: string, more = ''): void {
  writeFileSync('app.mjs', app)
  const run = `[${JSON.stringify(process.execPath)}, app.mjs]`
  const start = `start:\n  run: ${run}\n  env: { PORT: '{port}', AGE_BASE_URL: '{base_url}' }\n${more}`
  writeFileSync(
    'agekey-audit.yaml',
    `# How the app starts.\napp: http://localhost:{port}/verify\n${start}`,
  )
}

/**
 * Runs `agekey-sandbox audit` in this process.
 * @param given.rows judged as if there were no others
 */
export async function auditInProcess(
  sandbox: Pick<Sandbox, 'baseUrl'>,
  { page, rows, ...more }: { page?: string; rows?: readonly string[] } & GivenFlags,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const flags = { url: sandbox.baseUrl, ...more }
  const given = readFlags(page, flags)
  const file = readAuditFile()
  const settings = await loadSettings({ flags: { log: 'silent', 'state-dir': 'none' }, env: {} })
  const lines: string[] = []
  const say = (line: string) => void lines.push(line)
  const host = { ...createAuditHost(settings, given), say, mask: createMask(['not-a-real-secret']) }
  const plan = planAudit(given, { file, environment: host.environment })
  const progress = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  // The first answer of a sandbox takes longest, and the command waits for three seconds.
  await fetch(`${sandbox.baseUrl}/_sandbox/health`)
  const open = await openSandbox(settings, given.url)
  try {
    await preflight(open)
    const { signal } = new AbortController()
    const session = { sandbox: open, host, command: sameCall(page, flags, []), signal }
    const options = { ...plan.options, ...(rows && { only: rows }) }
    const code = await auditApp({ ...session, plan: { ...plan, options } })
    const stderr = progress.mock.calls.map(([text]) => String(text)).join('')
    return { code, stdout: `${lines.join('\n')}\n`, stderr }
  } finally {
    await open.close()
    progress.mockRestore()
  }
}

/**
 * The code of an app that sends its users to the service at `endpoint()`, and lets in users whose
 * answer `read` turns into claims.
 */
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

/** Reads discovery by openid-client 6 before it listens, and ends when that fails. */
export const OPENID_CLIENT = appWith({
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

/**
 * Reads discovery by fetch with the first request, and keys by jose. With `checks: false` it
 * compares no issuer.
 */
export const jose = ({ checks }: { checks: boolean }) =>
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

/** Keeps the first discovery document, and needs an optional member of it. */
export const NEEDS_SCOPES = jose({ checks: true }).replace(
  '  return { endpoint',
  "  if (!document.scopes_supported.includes('openid')) throw new Error('no scope openid')\n  return { endpoint",
)

/** The Express example as a program, with code that runs before it. */
export const exampleAfter = (code = '') =>
  `${code}\nawait import(${JSON.stringify(new URL('../../../../examples/express/app.js', import.meta.url).href)})\n`
