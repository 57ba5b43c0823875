import { type ConnectedSandbox, connectSandbox, findBaseUrl } from '../../client/connect-sandbox.ts'
import type { SandboxApi } from '../../client/sandbox-api.ts'
import { SandboxError } from '../../client/sandbox-error.ts'
import { codeOf, messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { createClock } from '../../sandbox/clock/clock.ts'

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

type Call = (
  url: string,
  call: { timeoutMs: number; trust?: { kind: 'issuer'; certificate: string } | { kind: 'any' } | undefined },
) => Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>> }>

/** What the command line knows of sandboxes. */
export interface SandboxHost {
  /** Of the settings; `undefined` when they ask for a free port. */
  readonly baseUrl: string | undefined
  readonly controlToken: string | undefined
  /** Makes one call by HTTP; it throws what Node throws. */
  readonly call: Call
  /** Starts the sandbox of the settings. */
  start(): Promise<
    SandboxApi &
      Pick<ConnectedSandbox, 'tenant' | 'removeTenant' | 'close'> & {
        readonly url: string
        readonly certificate?: { readonly pem: string } | undefined
      }
  >
  /** What keeps an app on this machine from using a sandbox, in one line each: the checks of `doctor`. */
  diagnose(baseUrl: string, certificate: string | undefined): Promise<readonly string[]>
}

/**
 * The sandbox at `url`; without it the one that runs at the base URL of the settings, else one that is started there.
 * @throws ConfigError or SandboxError with one line: nothing or something else is there, or it does not let the audit in
 */
export async function openSandbox(host: SandboxHost, url: string | undefined): Promise<OpenSandbox> {
  const { baseUrl } = host
  if (url === undefined)
    return baseUrl !== undefined && (await isSandbox(baseUrl, host)) ? connect(baseUrl, host) : start(host)
  try {
    if (await isSandbox(url, host, { remedy: 'give the base URL of a sandbox' })) return await connect(url, host)
  } catch (cause) {
    throw ConfigError.of(`--url: ${messageOf(cause)}`, { cause })
  }
  throw ConfigError.of(`--url: ${url}: nothing answers there; start a sandbox (npx agekey-sandbox), or leave out --url`)
}

async function connect(url: string, { controlToken }: SandboxHost): Promise<OpenSandbox> {
  const options = controlToken === undefined ? {} : { controlToken }
  // Redirects of the app name the base URL, which in a container is another one than the address it is reached by.
  const baseUrl = await findBaseUrl(url.replace(/\/+$/, ''), options).catch((cause: unknown) => {
    const isRefused = cause instanceof SandboxError && (cause.status === 401 || cause.status === 403)
    const remedy = isRefused ? '; give its control token by --control-token' : ''
    throw ConfigError.of(`${url}: ${messageOf(cause)}${remedy}`, { cause })
  })
  const sandbox = connectSandbox(url, options)
  return opened(sandbox, { api: { ...sandbox, baseUrl }, isOwn: false })
}

/** @param found.api the tenant that the audit was given, with the base URL that apps use */
function opened(
  sandbox: Pick<ConnectedSandbox, 'tenant' | 'removeTenant' | 'close'>,
  found: Pick<OpenSandbox, 'api' | 'isOwn' | 'certificate'>,
): OpenSandbox {
  const { api } = found
  const rootUrl = api.baseUrl.replace(/\/t\/[^/]+$/, '')
  return {
    ...found,
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
    close: () => sandbox.close(),
  }
}

async function start(host: SandboxHost): Promise<OpenSandbox> {
  const sandbox = await host.start()
  const certificate = sandbox.certificate?.pem
  try {
    if (await isSandbox(sandbox.baseUrl, host, { certificate }))
      return opened(sandbox, { api: sandbox, isOwn: true, certificate })
    throw ConfigError.of(
      `${sandbox.baseUrl}: nothing answers there, although a sandbox was started; its base URL must lead to ${sandbox.url}`,
    )
  } catch (error) {
    await sandbox.close()
    throw error
  }
}

/** The first answer of a sandbox on a busy machine takes a while. */
const LIMIT_MS = 10_000
const OTHER_ADDRESS = 'stop it, or choose another address by --port and in your app'

/** Whether a sandbox is there, or nothing. @throws ConfigError when that is something else than a sandbox that is well */
async function isSandbox(
  baseUrl: string,
  { call }: SandboxHost,
  { remedy = OTHER_ADDRESS, certificate }: { remedy?: string; certificate?: string | undefined } = {},
): Promise<boolean> {
  const address = baseUrl.replace(/\/+$/, '')
  const trust = certificate === undefined ? undefined : ({ kind: 'issuer', certificate } as const)
  const answer = await call(`${address}/_sandbox/health`, { timeoutMs: LIMIT_MS, trust }).catch((error: unknown) => {
    if (codeOf(error) === 'ECONNREFUSED') return undefined
    throw ConfigError.of(`${address}: ${reasonOf(error)}`, { cause: error })
  })
  if (answer === undefined) return false
  if (answer.headers['x-agekey-sandbox'] === undefined)
    throw ConfigError.of(`${address}: something answers there, but no agekey-sandbox; ${remedy}`)
  if (answer.status !== 200)
    throw ConfigError.of(`${address}: the sandbox there is unhealthy, status ${answer.status}; start it again`)
  return true
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

/** A row may say that a token expired a minute ago: so much less must the clocks differ. */
const MAX_DIFFERENCE_SECONDS = 10

/**
 * Looks whether an app on this machine can use the sandbox, and whether both live at the same time.
 * @throws ConfigError with a line for each problem
 */
export async function preflight({ api, certificate }: OpenSandbox, { diagnose }: SandboxHost): Promise<void> {
  const problems = await diagnose(api.baseUrl, certificate)
  if (problems.length > 0) throw ConfigError.of(problems.join('\n'))
  const { now, frozen } = await api.clock.state()
  const seconds = Math.round((Date.parse(now) - createClock().now()) / 1000)
  if (Math.abs(seconds) <= MAX_DIFFERENCE_SECONDS && !frozen) return
  const how = frozen ? 'stands still' : `is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`
  throw ConfigError.of(
    `${api.baseUrl}: the clock of the sandbox ${how}, so that what is expired for it is not for your app; set it back in the console, or by POST ${api.baseUrl}/_sandbox/clock with {"reset": true}`,
  )
}
