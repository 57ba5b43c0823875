import { checkConnection } from '../config/option-check.ts'
import { createRemoteTransport } from './remote-transport.ts'
import { createSandboxApi, type SandboxApi } from './sandbox-api.ts'

/** A sandbox in another process, for example in a container. */
export interface ConnectedSandbox extends SandboxApi {
  readonly url: string
  /** The API of a tenant, which exists from the first touch of its address. */
  tenant(name: string): SandboxApi
  /** Removes a tenant with everything in it. */
  removeTenant(name: string): Promise<void>
  /** Does nothing but match `createSandbox`: the sandbox itself goes on. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How to reach a sandbox in another process. */
export interface ConnectOptions {
  readonly controlToken?: string | undefined
}

/**
 * Drives a sandbox over its control API.
 * @param url its base URL, or that of a tenant.
 * @param options.controlToken required when the sandbox listens beyond loopback.
 * @throws ConfigError with one line, for a malformed URL or an unknown option
 */
export function connectSandbox(url: string, options: ConnectOptions = {}): ConnectedSandbox {
  checkConnection(url, options)
  const { controlToken } = options
  const baseUrl = new URL(url).href.replace(/\/+$/, '')
  const connect = (address: string) => createRemoteTransport({ baseUrl: address, token: controlToken })
  const root = connect(baseUrl)
  const close = async () => {}
  return {
    ...createSandboxApi(root, { name: tenantNameIn(baseUrl), baseUrl }),
    url: baseUrl,
    tenant: (name) => createSandboxApi(connect(`${baseUrl}/t/${name}`), { name, baseUrl: `${baseUrl}/t/${name}` }),
    removeTenant: (name) => root.call('deleteTenant', { params: { name } }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const tenantNameIn = (baseUrl: string) => /\/t\/([^/]+)$/.exec(baseUrl)?.[1] ?? 'default'
