import { type ConnectedSandbox, connectSandbox, findBaseUrl } from '../../client/connect-sandbox.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { SandboxError } from '../../client/sandbox-error.ts'
import type { Settings } from '../../config/load-settings.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { createFromSettings } from '../create-from-settings.ts'
import { baseUrlOf } from '../remote/address.ts'
import { callHttp } from '../remote/http-call.ts'
import { createReport } from '../start/report.ts'

/** The sandbox that an audit uses. */
export interface OpenSandbox {
  readonly api: SandboxApi
  /** Whether the audit started it. */
  readonly isOwn: boolean
  /** PEM of the certificate that it shows, when clients have to be told to trust it. */
  readonly certificate?: string | undefined
  /** Makes a tenant in which an app does what it does at the base URL: with the same clients, lifetimes and personas. */
  openTenant(name: string): Promise<SandboxApi>
  /** Removes a tenant with everything in it. */
  removeTenant(name: string): Promise<void>
  close(): Promise<void>
}

/**
 * The sandbox at `url`; without it the one that runs at the base URL of the settings, else one that is started there.
 * @throws ConfigError or SandboxError with one line: nothing or something else is there, or it does not let the audit in
 */
export async function openSandbox(settings: Settings, url: string | undefined): Promise<OpenSandbox> {
  const { controlToken, port } = settings.sandbox
  if (url !== undefined) return openElsewhere(url, controlToken)
  // Port 0 is a free one: no sandbox can run there yet.
  if (port === 0) return start(settings)
  const baseUrl = baseUrlOf(settings.sandbox)
  return (await look(baseUrl)) === 'sandbox' ? connect(baseUrl, controlToken) : start(settings)
}

async function openElsewhere(url: string, controlToken: string | undefined): Promise<OpenSandbox> {
  try {
    if ((await look(url, { remedy: 'give the base URL of a sandbox' })) === 'sandbox')
      return await connect(url, controlToken)
  } catch (cause) {
    throw ConfigError.of(`--url: ${messageOf(cause)}`, { cause })
  }
  throw ConfigError.of(`--url: ${url}: nothing answers there; start a sandbox (npx agekey-sandbox), or leave out --url`)
}

async function connect(url: string, controlToken: string | undefined): Promise<OpenSandbox> {
  const options = controlToken === undefined ? {} : { controlToken }
  // Redirects of the app name the base URL, which in a container is another one than the address it is reached by.
  const baseUrl = await findBaseUrl(url.replace(/\/+$/, ''), options).catch((cause: unknown) => {
    const isRefused = cause instanceof SandboxError && (cause.status === 401 || cause.status === 403)
    const remedy = isRefused ? '; give its control token by --control-token' : ''
    throw ConfigError.of(`${url}: ${messageOf(cause)}${remedy}`, { cause })
  })
  const sandbox = connectSandbox(url, options)
  const api = { ...sandbox, baseUrl }
  return { api, isOwn: false, ...tenantsOf(sandbox, api), close: () => sandbox.close() }
}

/** @param api the tenant that the audit was given, with the base URL that apps use */
function tenantsOf(
  sandbox: Pick<ConnectedSandbox, 'tenant' | 'removeTenant'>,
  api: SandboxApi,
): Pick<OpenSandbox, 'openTenant' | 'removeTenant'> {
  const rootUrl = api.baseUrl.replace(/\/t\/[^/]+$/, '')
  return {
    async openTenant(name) {
      const tenant = sandbox.tenant(name)
      // Declared, so that no other one pushes it out.
      await tenant.configure({})
      const [wanted, there] = await Promise.all([api.personas.list(), tenant.personas.list()])
      const known = new Set(there.map((persona) => JSON.stringify(persona)))
      const missing = wanted.filter((persona) => !known.has(JSON.stringify(persona)))
      if (missing.length > 0) await tenant.personas.putAll(missing)
      return { ...tenant, baseUrl: `${rootUrl}/t/${name}` }
    },
    removeTenant: (name) => sandbox.removeTenant(name),
  }
}

async function start(settings: Settings): Promise<OpenSandbox> {
  const report = createReport(settings.log, createClock().now)
  for (const warning of settings.warnings) report.warning(warning)
  const { warning, defect } = report
  const sandbox = await createFromSettings(settings, { warning, defect })
  const close = () => sandbox.close()
  try {
    const certificate = sandbox.certificate?.pem
    if ((await look(sandbox.baseUrl, { certificate })) === 'sandbox')
      return { api: sandbox, isOwn: true, certificate, ...tenantsOf(sandbox, sandbox), close }
    throw ConfigError.of(
      `${sandbox.baseUrl}: nothing answers there, although a sandbox was started; its base URL must lead to ${sandbox.url}`,
    )
  } catch (error) {
    await close()
    throw error
  }
}

const LIMIT_MS = 3000
const OTHER_ADDRESS = 'stop it, or choose another address by --port and in your app'

/** What is at an address. @throws ConfigError when that is something else than a sandbox that is well */
async function look(
  baseUrl: string,
  { remedy = OTHER_ADDRESS, certificate }: { remedy?: string; certificate?: string | undefined } = {},
): Promise<'sandbox' | 'nothing'> {
  const address = baseUrl.replace(/\/+$/, '')
  const trust = certificate === undefined ? undefined : ({ kind: 'issuer', certificate } as const)
  const answer = await callHttp(`${address}/_sandbox/health`, { timeoutMs: LIMIT_MS, trust }).catch(
    (error: unknown) => {
      if (codeOf(error) === 'ECONNREFUSED') return undefined
      throw ConfigError.of(`${address}: ${reasonOf(error)}`, { cause: error })
    },
  )
  if (answer === undefined) return 'nothing'
  if (answer.headers['x-agekey-sandbox'] === undefined)
    throw ConfigError.of(`${address}: something answers there, but no agekey-sandbox; ${remedy}`)
  if (answer.status !== 200) {
    throw ConfigError.of(`${address}: the sandbox there is unhealthy, status ${answer.status}; start it again`)
  }
  return 'sandbox'
}

function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${LIMIT_MS / 1000} seconds`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no machine has that name; look at the base URL'
  if (code !== undefined && /CERT|SIGNATURE|ISSUER/.test(code))
    return `its certificate is not trusted (${code}); name the file that agekey-sandbox printed for it in NODE_EXTRA_CA_CERTS`
  if (code === 'EPROTO' || code === 'HPE_INVALID_CONSTANT' || code === 'ECONNRESET')
    return `something answers there, but no agekey-sandbox (${code}); look whether http or https is right`
  return `cannot be reached (${code ?? messageOf(error)})`
}
