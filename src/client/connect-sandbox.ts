import { checkConnection } from '../config/option-check.ts'
import { createSurface, type Surface } from './sandbox-api.ts'
import { createRemoteTransport } from './transport.ts'

/** A sandbox in another process, for example in a container. */
export interface ConnectedSandbox extends Surface {
  readonly url: string
  /** The surface of a tenant, which exists from the first touch of its address. */
  tenant(name: string): Surface
  /** Removes a tenant with everything in it. */
  removeTenant(name: string): Promise<void>
  /** Ends the connection; the sandbox itself goes on. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** How a sandbox in another process is reached. */
export interface ConnectOptions {
  readonly controlToken?: string | undefined
}

/**
 * Drives a sandbox over its control API.
 * @param url its base URL, or that of a tenant.
 * @param options.controlToken asked for when the sandbox listens beyond loopback.
 * @throws Error with one clear line: an address that is none, an unknown option
 */
export function connectSandbox(url: string, options: ConnectOptions = {}): ConnectedSandbox {
  checkConnection(url, options)
  const { controlToken } = options
  const baseUrl = new URL(url).href.replace(/\/+$/, '')
  const connect = (address: string) => createRemoteTransport({ baseUrl: address, token: controlToken })
  const root = connect(baseUrl)
  const close = async () => {}
  return {
    ...createSurface(root, { name: tenantNameIn(baseUrl), baseUrl }),
    url: baseUrl,
    tenant: (name) => createSurface(connect(`${baseUrl}/t/${name}`), { name, baseUrl: `${baseUrl}/t/${name}` }),
    removeTenant: (name) => root.call('deleteTenant', { params: { name } }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

const tenantNameIn = (baseUrl: string) => /\/t\/([^/]+)$/.exec(baseUrl)?.[1] ?? 'default'
