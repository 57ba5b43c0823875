import { connectSandbox, findBaseUrl } from '../../client/connect-sandbox.ts'
import { SandboxError } from '../../client/sandbox-error.ts'
import { messageOf } from '../../files/caught.ts'
import { ConfigError } from '../../files/config-error.ts'
import { createClock } from '../../sandbox/clock/clock.ts'
import { createExchange, NOBODY } from '../agent/exchange.ts'
import { startDeadline } from '../drive/deadline.ts'
import type { AuditHost, OpenSandbox } from './session.ts'

type SandboxHost = Pick<AuditHost, 'baseUrl' | 'controlToken' | 'startSandbox'>

/**
 * The sandbox at `url`; without it the one that runs at the base URL of the settings, else one that is started there.
 * @throws ConfigError or SandboxError with one line: nothing or something else is there, or it does not let the audit in
 */
export async function openSandbox(host: SandboxHost, url: string | undefined): Promise<OpenSandbox> {
  const { baseUrl, startSandbox } = host
  if (url === undefined) {
    const isRunning = baseUrl !== undefined && (await isSandbox(baseUrl, OTHER_ADDRESS))
    return isRunning ? connect(baseUrl, host) : { ...(await startSandbox()), isOwn: true }
  }
  try {
    if (await isSandbox(url, 'give the base URL of a sandbox')) return await connect(url, host)
    throw new Error(`${url}: nothing answers there; start a sandbox (npx agekey-sandbox), or leave out --url`)
  } catch (cause) {
    throw ConfigError.of(`--url: ${messageOf(cause)}`, { cause })
  }
}

async function connect(url: string, { controlToken }: SandboxHost): Promise<OpenSandbox> {
  const sandbox = connectSandbox(url, controlToken === undefined ? {} : { controlToken })
  // Redirects of the app name the base URL, which in a container is another one than the address it is reached by.
  const baseUrl = await findBaseUrl(sandbox.baseUrl, { controlToken }).catch((cause: unknown) => {
    const isRefused = cause instanceof SandboxError && (cause.status === 401 || cause.status === 403)
    const remedy = isRefused ? '; give its control token by --control-token' : ''
    throw ConfigError.of(`${url}: ${messageOf(cause)}${remedy}`, { cause })
  })
  return { ...sandbox, baseUrl, isOwn: false }
}

/** The first answer of a sandbox on a busy machine takes a while. */
const LIMIT_SECONDS = 10
const OTHER_ADDRESS = 'stop it, or choose another address by --port and in your app'
const LOOK =
  'look whether host, port and http or https are right; a certificate of agekey-sandbox is trusted by its file in NODE_EXTRA_CA_CERTS'

/** Whether a sandbox is there, or nothing. @throws ConfigError when that is something else than a sandbox that is well */
async function isSandbox(baseUrl: string, remedy: string): Promise<boolean> {
  const address = baseUrl.replace(/\/+$/, '')
  const { signal, clear } = startDeadline(LIMIT_SECONDS)
  const request = { method: 'GET', url: new URL(`${address}/_sandbox/health`), headers: {} } as const
  const answer = await createExchange()(request, signal).finally(clear)
  if (answer.failure) {
    if (answer.failure.problem.endsWith(NOBODY)) return false
    throw ConfigError.of(`${answer.failure.problem}; ${LOOK}`)
  }
  if (answer.headers['x-agekey-sandbox'] === undefined)
    throw ConfigError.of(`${address}: something answers there, but no agekey-sandbox; ${remedy}`)
  if (answer.status === 200) return true
  throw ConfigError.of(`${address}: the sandbox there is unhealthy, status ${answer.status}; start it again`)
}

/** A row may say that a token expired a minute ago: so much less must the clocks differ. */
const MAX_DIFFERENCE_SECONDS = 10

/**
 * Looks whether an app on this machine can use the sandbox, and whether both live at the same time.
 * @throws ConfigError with a line for each problem
 */
export async function preflight(sandbox: OpenSandbox, { diagnose }: Pick<AuditHost, 'diagnose'>): Promise<void> {
  const { baseUrl, url, certificate, clock, isOwn } = sandbox
  const problems = await diagnose(baseUrl, certificate?.pem)
  const remedy =
    isOwn && url !== baseUrl ? [`the base URL ${baseUrl} must lead to ${url}, where the audit started it`] : []
  if (problems.length > 0) throw ConfigError.of([...problems, ...remedy].join('\n'))
  const { now, frozen } = await clock.state()
  const seconds = Math.round((Date.parse(now) - createClock().now()) / 1000)
  if (Math.abs(seconds) <= MAX_DIFFERENCE_SECONDS && !frozen) return
  const how = frozen ? 'stands still' : `is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`
  throw ConfigError.of(
    `${baseUrl}: the clock of the sandbox ${how}, so that what is expired for it is not for your app; set it back in the console, or by POST ${baseUrl}/_sandbox/clock with {"reset": true}`,
  )
}
