import { randomBytes } from 'node:crypto'
import type { Client, Clients, SigningAlgorithm } from '../../service/oidc/ports.ts'
import {
  type Addresses,
  baseUrlAt,
  isLoopbackUrl,
  redirectUriProblem,
} from '../addresses/addresses.ts'
import type { ClientSettings } from './client-schema.ts'
import { createMask, type Mask } from './mask.ts'

/** A registered relying party, with members that only a sandbox has. */
export interface SandboxClient extends Client {
  readonly logo: string | undefined
  readonly persona: string | undefined
}

/** The registered relying parties of one tenant. */
export interface SandboxClients extends Clients {
  /** The identifiers of all clients except the demo client. */
  readonly ids: readonly string[]
  /** Signing algorithms that clients have set. */
  readonly signingAlgs: readonly SigningAlgorithm[]
  find(clientId: string): SandboxClient | undefined
  /** Removes the secrets of the clients and of the process from recorded and shown values. */
  readonly mask: Mask
}

/**
 * The built-in client, which needs no config. All loopback addresses are registered for it, and the
 * redirect URIs of the setting `redirectUris`.
 */
export const BUILTIN_CLIENT = {
  clientId: 'ak_test_sandbox',
  clientSecret: 'sk_test_sandbox',
  name: 'Your app',
} as const

interface ClientsOptions {
  readonly builtin: boolean
  /** Redirect URIs of the built-in client, besides loopback addresses. */
  readonly redirectUris?: readonly string[]
  /** The addresses of the sandbox for which the demo client is added. */
  readonly demoOf?: Addresses
  /** Additional secrets to mask: secrets of the process, and former secrets of clients. */
  readonly secrets?: readonly string[]
}

/**
 * Creates the registered relying parties: the built-in client unless it is disabled, the demo
 * client of the sandbox at `demoOf`, and the declared clients. A declared client replaces a
 * built-in client or demo client with the same identifier.
 */
export function createClients(
  declared: readonly ClientSettings[],
  { builtin, redirectUris = [], demoOf, secrets = [] }: ClientsOptions,
): SandboxClients {
  const clients = new Map<string, SandboxClient>()
  if (demoOf !== undefined) clients.set(DEMO_CLIENT_ID, demoClient(demoOf))
  for (const client of declared) clients.set(client.clientId, fromSettings(client))
  if (builtin && !clients.has(BUILTIN_CLIENT.clientId)) {
    clients.set(BUILTIN_CLIENT.clientId, builtinClient(redirectUris))
  }
  const ownSecrets = () => [...clients.values()].map(({ clientSecret }) => clientSecret)
  let made: Mask | undefined
  return {
    ids: [...clients.keys()].filter((id) => id !== DEMO_CLIENT_ID),
    signingAlgs: declared.flatMap(({ signingAlg }) => signingAlg ?? []),
    find: (clientId) => clients.get(clientId),
    mask(value) {
      // Created on first use, because the calls of most tenants are never shown.
      made ??= createMask([...secrets, ...ownSecrets()])
      return made(value)
    },
  }
}

function fromSettings(settings: ClientSettings): SandboxClient {
  const { name = settings.clientId, logo, persona, ...client } = settings
  const registered = new Set(client.redirectUris)
  return {
    ...client,
    name,
    logo,
    persona,
    allowsRedirectTo: (redirectUri) => registered.has(redirectUri),
  }
}

function builtinClient(redirectUris: readonly string[]): SandboxClient {
  return {
    ...BUILTIN_CLIENT,
    logo: undefined,
    persona: undefined,
    redirectUris,
    allowsLoopback: true,
    allowsRedirectTo: (redirectUri) =>
      redirectUris.includes(redirectUri) || isOnLoopback(redirectUri),
  }
}

/** Whether a text is a loopback address that a client may register. */
const isOnLoopback = (text: string): boolean =>
  redirectUriProblem(text) === undefined && isLoopbackUrl(text)

/** The client_id of the demo, a relying party in the sandbox itself. */
export const DEMO_CLIENT_ID = 'sandbox-demo'

/** The redirect URI of the demo of the sandbox at `baseUrl`. */
export const demoCallback = (baseUrl: string) => `${baseUrl}/_sandbox/demo/callback`

/** The secret is never shared: the demo calls its own process. */
const clientSecret = randomBytes(16).toString('base64url')

/**
 * The client of the demo. It works whatever the config declares. Its only redirect URI is the
 * callback of the demo, under each address of the sandbox.
 */
export const demoClient = (addresses: Addresses): SandboxClient => ({
  clientId: DEMO_CLIENT_ID,
  clientSecret,
  name: 'Demo shop',
  logo: undefined,
  persona: undefined,
  redirectUris: [demoCallback(addresses.baseUrl)],
  allowsRedirectTo(redirectUri) {
    if (!URL.canParse(redirectUri)) return false
    return redirectUri === demoCallback(baseUrlAt(new URL(redirectUri).origin, addresses))
  },
})
