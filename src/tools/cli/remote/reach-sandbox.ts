import type * as z from 'zod'
import { pathOf, settleAddresses } from '../../../sandbox/addresses/addresses.ts'
import { BUILTIN_CLIENT, DEMO_CLIENT_ID } from '../../../sandbox/clients/clients.ts'
import { ConfigError } from '../../../sandbox/files/config-error.ts'
import {
  createExchangeWithin,
  type ExchangeOptions,
  type HttpAnswer,
  type HttpRequest,
} from '../../../server/client/exchange.ts'
import { createRemoteTransport } from '../../../server/client/remote-transport.ts'
import {
  createSandboxApi,
  type SandboxApi,
  type Transport,
} from '../../../server/client/sandbox-api.ts'
import { quotationRemark } from '../../../server/config/in-quotes.ts'
import {
  loadSettings,
  ownEnvironment,
  type Settings,
} from '../../../server/config/load-settings.ts'
import { FLAGS, type Texts, URL_VARIABLE } from '../../../server/config/text-settings.ts'
import { parseJson } from '../../../service/oidc/request/json.ts'
import { unknownName } from '../../../service/text/message-parts.ts'
import { flagWord } from '../../../service/text/shell-word.ts'
import { visible } from '../../../service/text/visible.ts'

/** The flags that name a running sandbox. */
export interface SandboxAddress {
  readonly url?: string | undefined
  readonly tenant?: string | undefined
}

/** The flags of a command that calls a running sandbox and prints text or JSON. */
export interface AskFlags extends SandboxAddress {
  readonly json?: boolean
}

/** How a command reaches a running sandbox or one of its tenants. */
export interface ReachedSandbox {
  /** The URL that the command calls. */
  readonly url: string
  /** The URL for browsers: the given URL, otherwise the base URL of the settings. */
  readonly pages: string
  /** ` in tenant qa`, for a sentence; empty without a tenant. */
  readonly inTenant: string
  readonly settings: Settings['sandbox']
  /** Whether the URL comes from the settings of this machine. */
  readonly isLocal: boolean
  readonly controlToken: string | undefined
  readonly api: SandboxApi
  readonly call: Transport['call']
  /**
   * Checks that the tenant exists, because a call to its URL from the same machine would create it.
   * @throws SandboxError when the tenant does not exist
   */
  requireTenant(): Promise<void>
  /**
   * Says that a client_id is unknown to the tenant, with similar names; `undefined` for a known
   * client.
   */
  clientProblem(clientId: string): Promise<string | undefined>
}

/**
 * Finds the sandbox at `--url`, otherwise at `AGEKEY_SANDBOX_URL`, otherwise the sandbox that
 * `start` would run with the same settings on this machine. Makes no call yet.
 * @throws ConfigError for a malformed URL
 */
export async function reachSandbox(
  flags: Texts,
  { url, tenant }: SandboxAddress,
): Promise<ReachedSandbox> {
  const { sandbox: settings } = await loadSettings({ flags })
  const { controlToken } = settings
  const given = givenUrl(url)
  const baseUrl = ofTenant(given ?? localAddress(settings), tenant)
  const [, rootUrl = baseUrl, name = 'default'] = /^(.+)\/t\/([^/]+)$/.exec(baseUrl) ?? []
  const transportAt = (url: string) => createRemoteTransport({ baseUrl: url, token: controlToken })
  const transport = transportAt(baseUrl)
  return {
    url: baseUrl,
    pages: ofTenant(given ?? baseUrlOf(settings), tenant),
    inTenant: baseUrl === rootUrl ? '' : visible(` in tenant ${name}`),
    settings,
    isLocal: given === undefined,
    controlToken,
    api: createSandboxApi(transport, { name, baseUrl }),
    call: transport.call,
    async requireTenant() {
      if (baseUrl !== rootUrl) await transportAt(rootUrl).call('getTenant', { params: { name } })
    },
    async clientProblem(clientId) {
      const { clients } = await transport.call('getTenant', { params: { name } })
      const known = [BUILTIN_CLIENT.clientId, ...clients.map((client) => client.client_id)]
      return [DEMO_CLIENT_ID, ...known].includes(clientId)
        ? undefined
        : unknownName('client', clientId, known)
    },
  }
}

/** The base URL of the same sandbox as in `reachSandbox`, for texts. The sandbox need not run. */
export async function baseUrlFor(flags: Texts, { url, tenant }: SandboxAddress): Promise<string> {
  const { sandbox: settings } = await loadSettings({ flags })
  return ofTenant(givenUrl(url) ?? baseUrlOf(settings), tenant)
}

function givenUrl(url: string | undefined): string | undefined {
  if (url !== undefined) return checkedUrl(url, '--url')
  const inEnvironment = ownEnvironment()[URL_VARIABLE]
  return inEnvironment ? checkedUrl(inEnvironment, URL_VARIABLE) : undefined
}

function ofTenant(address: string, tenant: string | undefined): string {
  const root = address.replace(/\/+$/, '')
  return tenant === undefined ? root : `${root}/t/${encodeURIComponent(tenant)}`
}

/**
 * Checks that a text is an http or https URL.
 * @param source where the URL comes from, for the message: `--url`
 * @throws ConfigError with one line
 */
export function checkedUrl(url: string, source: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  const remark = quotationRemark(source, url)
  const problem = `${source}: ${JSON.stringify(url)} is not a URL like http://localhost:2435`
  throw ConfigError.of(remark === undefined ? problem : `${problem}; ${remark}`)
}

/**
 * Hosts to listen on that clients reach as `localhost`. `::1` is not among them: on some machines,
 * `localhost` names only 127.0.0.1.
 */
const ON_LOOPBACK = ['127.0.0.1', '0.0.0.0', '::', 'localhost']

/** The URL on this machine of a sandbox with these settings. @throws ConfigError for port 0 */
function localAddress({
  port,
  host,
  baseUrl,
  basePath,
  https,
  httpsCert,
}: Settings['sandbox']): string {
  if (port === 0)
    throw ConfigError.of(
      '--url: needed, because port 0 stands for a free port that only the server knows',
    )
  const protocol = https || httpsCert !== undefined ? 'https' : 'http'
  const local = new URL(`${protocol}://localhost:${port}`)
  if (!ON_LOOPBACK.includes(host)) local.hostname = host.includes(':') ? `[${host}]` : host
  local.pathname = basePath ?? (baseUrl === undefined ? '' : pathOf(baseUrl))
  return local.href.replace(/\/$/, '')
}

const MAX_WAIT_MS = 3000

/**
 * The URL of a running sandbox at the address of these settings; `undefined` if none answers.
 */
export async function findRunning(settings: Settings['sandbox']): Promise<string | undefined> {
  const address = localAddress(settings)
  const asked = callHttp(`${address}/_sandbox/health`, {
    timeoutMs: MAX_WAIT_MS,
    anyCertificate: true,
  })
  const answer = await asked.catch(() => undefined)
  return answer?.headers['x-agekey-sandbox'] === undefined ? undefined : address
}

/** The base URL of a sandbox with these settings. */
export function baseUrlOf({ port, https, httpsCert, ...addresses }: Settings['sandbox']): string {
  const protocol = https || httpsCert !== undefined ? 'https' : 'http'
  return settleAddresses(addresses, { protocol, port, host: addresses.host }).baseUrl
}

/** The flags of the sandbox as typed on a command line. `TOKEN` replaces a secret. */
export const flagsAsTyped = (texts: Texts): string[] =>
  FLAGS.flatMap(({ name, argument }) => {
    const text = texts[name]
    if (text === undefined) return []
    const values = name.endsWith('token') ? ['TOKEN'] : [text].flat().map(flagWord)
    return [`--${name}`, ...(argument === undefined ? [] : values)]
  })

/**
 * An HTTP call without redirects. Not `fetch`, which can neither trust a certificate nor set
 * `Host`.
 */
export interface HttpCall
  extends Partial<Pick<HttpRequest, 'method' | 'headers' | 'body'>>,
    ExchangeOptions {
  readonly timeoutMs: number
}

/**
 * Makes an HTTP call.
 * @throws Error of Node with its `code`; `TimeoutError` when the whole response takes longer than
 * `timeoutMs`
 */
export async function callHttp(url: string, call: HttpCall): Promise<HttpAnswer> {
  const { timeoutMs, method = 'GET', headers = {}, body, ...trust } = call
  const answer = await createExchangeWithin(
    timeoutMs / 1000,
    trust,
  )({ method, url: new URL(url), headers, body })
  if (!answer.failure) return answer
  const { end, problem, cause } = answer.failure
  throw end === 'timed_out'
    ? new DOMException(problem, 'TimeoutError')
    : (cause ?? new Error(problem))
}

/** The JSON of a response, parsed by a schema; `undefined` if it does not match. */
export function readJson<Schema extends z.ZodType>(
  { text }: HttpAnswer,
  schema: Schema,
): z.output<Schema> | undefined {
  const json = parseJson(text)
  return json.ok ? schema.safeParse(json.value).data : undefined
}
