import type { Client, Clients, SigningAlgorithm } from '../../oidc/ports.ts'
import { LOOPBACK_HOSTS, redirectUriProblem } from '../addresses/web-address.ts'
import type { ClientSettings } from './client-schema.ts'
import { DEMO_CLIENT_ID, demoClient } from './demo-client.ts'
import { createMask, type Mask } from './mask.ts'

/** A registered relying party with what only the sandbox knows of it. */
export interface SandboxClient extends Client {
  readonly logo: string | undefined
  readonly persona: string | undefined
}

export interface SandboxClients extends Clients {
  find(clientId: string): SandboxClient | undefined
  /** Takes their secrets, and those of the process, out of what is recorded or shown. */
  readonly mask: Mask
  /** The algorithms that clients have of their own. */
  readonly signingAlgs: readonly SigningAlgorithm[]
}

/** Credentials that the sandbox knows without any config; any path and port on a loopback host is registered. */
export const BUILTIN_CLIENT = {
  clientId: 'ak_test_sandbox',
  clientSecret: 'sk_test_sandbox',
  name: 'Your app',
} as const

/**
 * The registered relying parties: the built-in one, unless it is switched off, the demo of the sandbox at `demoOf`, and the
 * declared ones, which win over both. `secrets` are those of the process, to be masked with theirs.
 */
export function createClients(
  settings: readonly ClientSettings[],
  { builtin, demoOf, secrets = [] }: { builtin: boolean; demoOf?: string; secrets?: readonly string[] },
): SandboxClients {
  const declared: readonly ClientSettings[] = demoOf === undefined ? settings : [demoClient(demoOf), ...settings]
  const clients = new Map<string, SandboxClient>(declared.map((client) => [client.clientId, fromSettings(client)]))
  if (builtin && !clients.has(BUILTIN_CLIENT.clientId)) {
    const sandboxOnly = { logo: undefined, persona: undefined }
    const builtinClient = { ...BUILTIN_CLIENT, ...sandboxOnly, redirectUris: [], allowsRedirectTo: allowsLoopback }
    clients.set(builtinClient.clientId, builtinClient)
  }
  const signingAlgs = declared.flatMap(({ signingAlg }) => signingAlg ?? [])
  const ids = [...clients.keys()].filter((id) => id !== DEMO_CLIENT_ID)
  let made: Mask | undefined
  // Made when a call is shown: most of the tenants that are only called never need it.
  const mask: Mask = (value) => {
    made ??= createMask([...secrets, ...[...clients.values()].flatMap(secretsOf)])
    return made(value)
  }
  return { ids, mask, find: (clientId) => clients.get(clientId), signingAlgs }
}

/** The secret of a client, and with its identifier as `Authorization: Basic` has both. */
export const secretsOf = ({ clientId, clientSecret }: Pick<Client, 'clientId' | 'clientSecret'>): string[] => [
  clientSecret,
  Buffer.from(`${clientId}:${clientSecret}`).toString('base64').replace(/=+$/, ''),
]

function fromSettings(settings: ClientSettings): SandboxClient {
  const { name = settings.clientId, logo, persona, ...client } = settings
  const registered = new Set(client.redirectUris)
  return { ...client, name, logo, persona, allowsRedirectTo: (redirectUri) => registered.has(redirectUri) }
}

/** Any path and port on a loopback host, of what a client may register. */
const allowsLoopback = (text: string): boolean =>
  redirectUriProblem(text) === undefined && LOOPBACK_HOSTS.includes(new URL(text).hostname)
