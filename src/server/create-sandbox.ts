import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { packageVersion } from '../package-root.ts'
import { type Addresses, hostNamesOf, settleAddresses } from '../sandbox/addresses/addresses.ts'
import { createClock, startStopwatch } from '../sandbox/clock/clock.ts'
import { ConfigError } from '../sandbox/files/config-error.ts'
import { onDemand } from '../sandbox/files/on-demand.ts'
import { generateKeys } from '../sandbox/keys/key-file.ts'
import { createKeyRing } from '../sandbox/keys/key-ring.ts'
import type { SandboxSettings, SharedParts } from '../sandbox/tenants/shared-parts.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { createTenants, type Tenants } from '../sandbox/tenants/tenants.ts'
import { createApp } from './app.ts'
import { createClosing } from './client/closing.ts'
import { createLocalTransport, withSandboxErrors } from './client/local-transport.ts'
import { createSandboxApi, type SandboxApi } from './client/sandbox-api.ts'
import { messageClasses } from './express/message-classes.ts'
import { type ControlGuard, controlIsOff, createControlGuard } from './http/guard/guard.ts'
import type { CallSummary, HttpHost } from './http/handler.ts'
import { close, createServerWith, inUrl, listen, reachableUrl } from './listen.ts'
import { loadRecordings } from './loaded-later.ts'
import { declareSettings } from './settings/declared-settings.ts'
import {
  checkSandboxOptions,
  type SandboxOptions,
  withHarmlessCallbacks,
} from './settings/sandbox-options.ts'
import { settleKeys } from './settings/settle-keys.ts'
import { processSecrets, shownClient } from './settings/settle-settings.ts'
import { createMemoryStores, type Stores } from './store/stores.ts'
import type { ServerCertificate } from './tls/certificate.ts'
import { obtainCertificate, servesHttps } from './tls/server-certificate.ts'

export type { CallSummary, SandboxOptions }

/** A running sandbox, driven from the same process. */
export interface Sandbox extends SandboxApi {
  /** The URL on which the sandbox listens: `http://127.0.0.1:2435`. */
  readonly url: string
  /** The URL that servers use to reach the sandbox, if it differs from the base URL. */
  readonly internalUrl: string | undefined
  /**
   * The certificate that clients must trust when the sandbox serves https: the PEM text and, if the
   * certificate is in a file, the path of the file.
   */
  readonly certificate: { readonly pem: string; readonly file: string | undefined } | undefined
  /** Credentials for an app: the first client in the options, otherwise the built-in client. */
  readonly client: { readonly clientId: string; readonly clientSecret: string }
  /**
   * The API of a tenant. The first call of this API creates the tenant. On this machine the first
   * request to the tenant's URL also creates it.
   * @throws SandboxError for an invalid name, and after `close`
   */
  tenant(name: string): SandboxApi
  /** Removes a tenant with all its data. */
  removeTenant(name: string): Promise<void>
  /**
   * Stops the sandbox. Calls in progress and all later calls of this object reject with a
   * SandboxError.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a sandbox in this process.
 * @throws Error with one clear line: an unknown option, a value of the wrong type, a port in use, a
 * bad persona, a malformed address, a damaged key file or certificate, an unusable store
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { sandbox } = await createChangeableSandbox(options)
  return sandbox
}

/**
 * A sandbox whose options can be replaced while it runs. The command line replaces them when a file
 * changes.
 */
export interface ChangeableSandbox {
  readonly sandbox: Sandbox
  /**
   * Applies the options that can change while the sandbox runs, all or none. Other options keep
   * their value from the start, and settings that a tenant has changed itself stay. New warnings go
   * to `onWarning`.
   * @throws ConfigError for a bad persona file, or an unknown persona or outcome; then nothing has
   * changed
   */
  change(options: SandboxOptions): Promise<TakenUp>
}

/** The effect of a `change`. */
export interface TakenUp {
  /** The options that changed. */
  readonly changed: readonly string[]
  /**
   * The changed options without effect on the root tenant, because a caller has set its own value.
   */
  readonly overruled: readonly string[]
}

/**
 * Starts a sandbox whose options can be replaced while it runs.
 * @throws Error what `createSandbox` throws
 */
export async function createChangeableSandbox(options: SandboxOptions): Promise<ChangeableSandbox> {
  checkSandboxOptions(options)
  const safeOptions = withHarmlessCallbacks(options)
  const stores = await openStores(safeOptions)
  try {
    return await startWith(stores, safeOptions)
  } catch (error) {
    stores.close()
    throw error
  }
}

/**
 * Opens the store that the options name; without this option, a store in memory.
 * @throws ConfigError with one line: the store cannot be reached or holds records of another
 * version, or a seed is set too
 */
async function openStores({
  store,
  memoryBudget,
  seed,
  baseUrl,
  onWarning,
}: SandboxOptions): Promise<Stores> {
  if (store === undefined) return createMemoryStores(memoryBudget)
  if (seed !== undefined) {
    throw ConfigError.of(
      'seed: replicas with one seed would make the same codes; leave out the seed, or the store',
    )
  }
  const { openRedisStores } = await loadRedisStores()
  const stores = await openRedisStores(store, {
    version: packageVersion(),
    onWarning: (message) => onWarning?.(message),
    onLost: (reason) =>
      onWarning?.(
        `store: the connection is lost (${reason}); calls are answered with 503 until it is back`,
      ),
    onBack: () => onWarning?.('store: the connection is back'),
  })
  // After the connection, because a failed start prints only one line.
  if (baseUrl === undefined) {
    onWarning?.('store: replicas need one address for all of them; say which by the option baseUrl')
  }
  return stores
}

/** Loaded on demand, because most sandboxes need no Redis client. */
const loadRedisStores = onDemand(() => import('./store/redis/redis-stores.ts'))

async function startWith(stores: Stores, options: SandboxOptions): Promise<ChangeableSandbox> {
  const declared = await declareSettings(options)
  const coverageFile = await openCoverage(options)
  const beginKeys = await settleKeys(stores, options)
  const listening = await startListening(options)
  const { server, app, addresses } = listening

  const shared: SharedParts = {
    ...stores,
    journal: coverageFile?.watch(stores.journal) ?? stores.journal,
    declared,
    secrets: processSecrets(options),
    keys: createKeyRing({
      alg: options.signingAlg ?? 'RS256',
      isRepeatable: options.seed !== undefined,
      keys: beginKeys(),
    }),
    generateKeys: () => generateKeys(),
  }
  const tenants = createTenants(shared, { addresses })
  coverageFile?.begin(async () => (await loadCoverage()).currentCoverage(tenants.root))

  const httpHost = createHttpHost(options, { declared, listening, tenants, stores })
  warnOfControl(httpHost.guard, options)
  server.on('request', createApp(httpHost, app))

  let stopping: Promise<void> | undefined
  const stop = () => {
    // The coverage file is written a second time, because calls may end while the server closes.
    stopping ??= Promise.all([coverageFile?.flush(), close(server)])
      .then(() => coverageFile?.flush())
      .then(() => stores.close())
    return stopping
  }
  return {
    sandbox: createDriver(httpHost, listening, stop),
    async change(given) {
      const changed = await declared.change(given)
      tenants.followSettings()
      const own = tenants.root.namesOfOwn()
      return { changed, overruled: changed.filter((name) => own.includes(name)) }
    },
  }
}

async function openCoverage(options: SandboxOptions) {
  if (options.coverageFile === undefined) return undefined
  const { openCoverageFile } = await loadCoverageFile()
  return openCoverageFile(options.coverageFile, options)
}

/** A server that listens but does not answer requests yet. */
interface Listening {
  readonly app: Express
  readonly server: Server
  readonly protocol: 'http' | 'https'
  readonly certificate: ServerCertificate | undefined
  /** The address and port on which the server listens. */
  readonly address: AddressInfo
  readonly addresses: Addresses
}

async function startListening(options: SandboxOptions): Promise<Listening> {
  const { port = 0, host = '127.0.0.1' } = options
  const protocol = servesHttps(options) ? 'https' : 'http'
  // Settled before the server listens, so that a wrong address is refused first, and again
  // afterwards, because only then a free port is known.
  const intended = settleAddresses(options, { protocol, port, host })
  warnOfSchemes(intended, protocol, options)
  const certificate =
    protocol === 'https'
      ? await obtainCertificate(options, {
          folder: options.stateDir,
          hosts: hostNamesOf(intended),
          // Real time: clients check the validity of the certificate with their own clocks.
          now: createClock().now(),
          onWarning: (message) => options.onWarning?.(message),
        })
      : undefined

  const app = express()
  const server = await createServerWith(certificate, messageClasses(app))
  await listen(server, port, host)
  const address = server.address() as AddressInfo
  const addresses = settleAddresses(options, { protocol, port: address.port, host })
  return { app, server, protocol, certificate, address, addresses }
}

/** What the server provides for its routes. */
function createHttpHost(
  options: SandboxOptions,
  {
    declared,
    listening: { address, addresses, protocol },
    tenants,
    stores,
  }: {
    declared: { readonly settings: SandboxSettings }
    listening: Listening
    tenants: Tenants
    stores: Stores
  },
): HttpHost {
  const uptime = startStopwatch()
  return {
    version: packageVersion(),
    ownUrl: reachableUrl(address, protocol),
    get settings() {
      return declared.settings
    },
    get shownClient() {
      return shownClient(declared.settings)
    },
    tenants,
    trustedProxies: options.trustProxy ?? [],
    guard: createControlGuard(addresses, {
      listeningOn: address.address,
      token: options.controlToken,
    }),
    uptimeSeconds: () => uptime() / 1000,
    lastAudit: async () => options.lastAudit?.(),
    async exportFlow(flow, as, tenant) {
      const { exportFlow } = await loadRecordings()
      return exportFlow(flow, as, { tenant, version: packageVersion() })
    },
    checkStore: stores.check,
    onCall: options.onCall,
    onError: (error) => options.onError?.(error),
  }
}

/** The `Sandbox` object for callers in this process. */
function createDriver(
  host: HttpHost,
  { certificate, address, addresses, protocol }: Listening,
  stop: () => Promise<void>,
): Sandbox {
  const { tenants } = host
  const closing = createClosing('start another one with createSandbox')
  const transportOf = ({ name, journal }: Tenant) => {
    const transport = createLocalTransport(
      async (operationId, input) => {
        const { performInProcess } = await loadControl()
        const tenant = await tenants.touch(name === tenants.root.name ? undefined : name)
        return performInProcess(operationId, input, { tenant, host, signal: closing.signal })
      },
      () => journal.lastEnded(name),
    )
    return closing.guard(transport)
  }
  const apiOf = (tenant: Tenant) =>
    createSandboxApi(transportOf(tenant), { name: tenant.name, baseUrl: tenant.provider.baseUrl })
  const closeAll = () => {
    closing.close()
    return stop()
  }
  return {
    ...apiOf(tenants.root),
    url: `${protocol}://${inUrl(address.address)}:${address.port}`,
    internalUrl: addresses.internalUrl,
    certificate: certificate && { pem: certificate.cert, file: certificate.file },
    client: host.shownClient,
    tenant(name) {
      closing.check()
      return apiOf(withSandboxErrors(() => tenants.at(name)))
    },
    removeTenant: (name) => transportOf(tenants.root).call('deleteTenant', { params: { name } }),
    close: closeAll,
    [Symbol.asyncDispose]: closeAll,
  }
}

/**
 * Warns that the control API is off: other machines can reach the sandbox, and no control token is
 * set.
 */
function warnOfControl({ beyondMachine, token }: ControlGuard, { onWarning }: SandboxOptions) {
  if (beyondMachine !== undefined && token === undefined)
    onWarning?.(controlIsOff(beyondMachine, 'the option controlToken'))
}

const loadCoverageFile = onDemand(() => import('./store/coverage-file.ts'))
const loadCoverage = onDemand(() => import('../sandbox/coverage/describe-coverage.ts'))

/** Loaded with the first call: a start does not need the control API. */
const loadControl = onDemand(() => import('./control/perform.ts'))

/**
 * Warns of an http address when the sandbox serves https: that address works only through a proxy.
 */
function warnOfSchemes(
  { baseUrl, internalUrl }: Addresses,
  protocol: string,
  { onWarning }: SandboxOptions,
): void {
  if (protocol !== 'https') return
  for (const [option, url] of Object.entries({ baseUrl, internalUrl })) {
    if (url?.startsWith('http:'))
      onWarning?.(`${option}: ${url} begins with http, but the sandbox itself serves https`)
  }
}
