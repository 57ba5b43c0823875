import { checkConnection } from '../config/option-check.ts'
import { createClosing } from './closing.ts'
import { createRemoteTransport } from './remote-transport.ts'
import { createSandboxApi, type SandboxApi, type Transport } from './sandbox-api.ts'

/** A sandbox in another process, for example in a container. */
export interface ConnectedSandbox extends SandboxApi {
  readonly url: string
  /**
   * The API of a tenant. The first call of this API creates the tenant. Before that call an app can
   * use the tenant's URL only on the machine of the sandbox.
   * @throws SandboxError when the connection is closed
   */
  tenant(name: string): SandboxApi
  /** Removes a tenant with all its data. */
  removeTenant(name: string): Promise<void>
  /**
   * Closes this connection: calls in progress and later calls reject, as after `close` of
   * `createSandbox`. The sandbox keeps running.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How to reach a sandbox in another process. */
export interface ConnectOptions {
  readonly controlToken?: string | undefined
}

/**
 * Connects to a sandbox in another process, to drive it over its control API. Nothing is sent
 * before the first call.
 * @param url the base URL of the sandbox, or of a tenant
 * @param options.controlToken required when other machines can reach the sandbox
 * @throws ConfigError with one line, for a malformed URL or an unknown option
 * @example
 * const sandbox = connectSandbox('http://localhost:2435')
 * await sandbox.next({ persona: 'teen-16' })
 */
export function connectSandbox(url: string, options: ConnectOptions = {}): ConnectedSandbox {
  checkConnection(url, options)
  const { controlToken } = options
  const baseUrl = new URL(url).href.replace(/\/+$/, '')
  const closing = createClosing('the one at that address goes on: connect with connectSandbox')
  const { signal } = closing
  const connect = (address: string) =>
    createRemoteTransport({ baseUrl: address, token: controlToken, signal })
  const [, rootUrl = baseUrl, ownName] = /^(.+)\/t\/([^/]+)$/.exec(baseUrl) ?? []
  const root = closing.guard(connect(rootUrl))
  const tenant = (name: string) => {
    closing.check()
    const address = `${rootUrl}/t/${name}`
    return createSandboxApi(closing.guard(madeAtFirst(connect(address), name, root)), {
      name,
      baseUrl: address,
    })
  }
  const close = async () => closing.close()
  return {
    ...(ownName === undefined
      ? createSandboxApi(root, { name: 'default', baseUrl })
      : tenant(ownName)),
    url: baseUrl,
    tenant,
    removeTenant: (name) => root.call('deleteTenant', { params: { name } }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * Asks the sandbox or tenant at `url` for the base URL that it uses in tokens and for browsers. The
 * two differ, for example, for a sandbox in a container.
 * @throws SandboxError when the sandbox refuses the call or does not answer
 */
export async function findBaseUrl(
  url: string,
  { controlToken: token }: ConnectOptions = {},
): Promise<string> {
  const [, name = 'default'] = /\/t\/([^/]+)$/.exec(url) ?? []
  const tenant = await createRemoteTransport({ baseUrl: url, token }).call('getTenant', {
    params: { name },
  })
  return tenant.base_url
}

/**
 * Creates the tenant before the first call, because a URL alone creates no tenant for a caller on
 * another machine.
 */
function madeAtFirst(transport: Transport, name: string, root: Transport): Transport {
  let making: Promise<unknown> | undefined
  const make = async () => {
    making ??= root.call('putTenant', { params: { name }, body: {} })
    await making.catch((error: unknown) => {
      making = undefined
      throw error
    })
  }
  return {
    async call(operationId, input) {
      await make()
      return transport.call(operationId, input)
    },
    async lastEnded() {
      // Sent first, so that flows that end from now on count. On the machine of the sandbox the URL
      // alone creates the tenant.
      const asked = transport.lastEnded().catch(() => undefined)
      await make()
      return (await asked) ?? transport.lastEnded()
    },
  }
}
