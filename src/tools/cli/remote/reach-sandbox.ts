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

/** The flags of a command that asks a running sandbox. */
export interface SandboxAddress {
  readonly url?: string | undefined
  readonly tenant?: string | undefined
}

/** The same of a command that prints text or JSON. */
export interface AskFlags extends SandboxAddress {
  readonly json?: boolean
}

/** A running sandbox or a tenant of it, as a command reaches it. */
export interface ReachedSandbox {
  /** The URL that is called. */
  readonly url: string
  /** The URL of its pages for browsers: the base URL, unless `--url` is given. */
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
   * Checks that the tenant exists: from the machine of the sandbox, a call to its URL would create
   * the tenant.
   * @throws SandboxError
   */
  requireTenant(): Promise<void>
  /**
   * Why a client_id is unknown to the tenant, with the nearest one; `undefined` for a registered
   * client.
   */
  clientProblem(clientId: string): Promise<string | undefined>
}

/**
 * The sandbox at `--url`, otherwise at `AGEKEY_SANDBOX_URL`, otherwise the one that `start` runs
 * with the same settings on this machine. It is not called yet.
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

/** The base URL of that sandbox, for texts; the sandbox need not run. */
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

/** @param source what gave the URL, for the message: `--url` */
export function checkedUrl(url: string, source: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url
  const remark = quotationRemark(source, url)
  const problem = `${source}: ${JSON.stringify(url)} is not a URL like http://localhost:2435`
  throw ConfigError.of(remark === undefined ? problem : `${problem}; ${remark}`)
}

/**
 * Addresses to listen on that include the first of `localhost`. Where no name is known for `::1`,
 * nothing reaches it as `localhost`.
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
 * The URL of a sandbox that answers where one with these settings would listen; `undefined` when
 * none does.
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

/** Flags of the sandbox, as they are typed; a secret is not repeated. */
export const flagsAsTyped = (texts: Texts): string[] =>
  FLAGS.flatMap(({ name, argument }) => {
    const text = texts[name]
    if (text === undefined) return []
    const values = name.endsWith('token') ? ['TOKEN'] : [text].flat().map(flagWord)
    return [`--${name}`, ...(argument === undefined ? [] : values)]
  })

/**
 * Makes an HTTP call without following redirects. `fetch` can neither trust a certificate nor set
 * `Host`.
 */
export interface HttpCall
  extends Partial<Pick<HttpRequest, 'method' | 'headers' | 'body'>>,
    ExchangeOptions {
  readonly timeoutMs: number
}

/**
 * @throws Error of Node with its code; `TimeoutError` when the whole answer took longer than
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

/** The JSON of an answer, parsed by a schema; `undefined` for anything else. */
export function readJson<Schema extends z.ZodType>(
  { text }: HttpAnswer,
  schema: Schema,
): z.output<Schema> | undefined {
  const json = parseJson(text)
  return json.ok ? schema.safeParse(json.value).data : undefined
}
