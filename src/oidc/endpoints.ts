import type { Brand } from './profile.ts'

/** One endpoint of the service: every other table of endpoints is derived from this one. */
export interface Endpoint {
  /** Its number in the specification, as journal and pages show it. */
  readonly number: string
  /** The flow that its calls belong to; absent for what belongs to no flow. */
  readonly flow?: 'use' | 'create' | 'upgrade'
  readonly method: 'get' | 'post'
  /** Below the base URL; `{brand}` is the brand word. */
  readonly path: string
  /** What a call of it does, in a few words. */
  readonly title: string
  /** What a relying party uses it for. */
  readonly purpose?: string
  /** `browser`: by a redirect or a form. `server`: by the client's server alone. `any`: by both, so that CORS is allowed. */
  readonly caller: 'browser' | 'server' | 'any'
  /** The identifier in a call that an earlier call of the same flow issued. */
  readonly correlation?: CorrelationKind
  /** `false`: the call continues a flow and never begins one. */
  readonly beginsFlow?: false
}

export type CorrelationKind = 'transaction' | 'request_uri' | 'code' | 'access_token' | 'trap'

/** E1 to E6 (specification, "Endpoints"). */
export const ENDPOINTS = {
  use: {
    number: 'E1',
    flow: 'use',
    method: 'get',
    path: '/v1/oidc/use',
    title: 'Use authorization',
    purpose: 'Use: send the browser here',
    caller: 'browser',
  },
  par: {
    number: 'E2',
    flow: 'create',
    method: 'post',
    path: '/v1/oidc/create/par',
    title: 'Create request pushed',
    purpose: 'Create: push the request',
    caller: 'server',
  },
  create: {
    number: 'E3',
    flow: 'create',
    method: 'get',
    path: '/v1/oidc/create',
    title: 'Create authorization',
    purpose: 'Create: send the browser here',
    caller: 'browser',
    correlation: 'request_uri',
  },
  token: {
    number: 'E4',
    flow: 'upgrade',
    method: 'post',
    path: '/v1/oidc/use/token',
    title: 'Code exchanged for a token',
    purpose: 'Upgrade: the code for a token',
    caller: 'server',
    correlation: 'code',
  },
  upgrade: {
    number: 'E5',
    flow: 'upgrade',
    method: 'post',
    path: '/v1/{brand}/upgrade',
    title: 'Age signals added',
    purpose: 'Upgrade: add age signals',
    caller: 'server',
    correlation: 'access_token',
  },
  useDiscovery: {
    number: 'E6',
    method: 'get',
    path: '/v1/oidc/use/.well-known/openid-configuration',
    title: 'Use discovery',
    caller: 'any',
  },
  createDiscovery: {
    number: 'E6',
    method: 'get',
    path: '/v1/oidc/create/.well-known/openid-configuration',
    title: 'Create discovery',
    caller: 'any',
  },
  jwks: {
    number: 'E6',
    method: 'get',
    path: '/.well-known/jwks.json',
    title: 'Key set',
    purpose: 'Keys that sign the id_token',
    caller: 'any',
  },
} as const satisfies Readonly<Record<string, Endpoint>>

export type EndpointId = keyof typeof ENDPOINTS

/** The path of an endpoint below the base URL. */
export const endpointPath = (id: EndpointId, brand: Brand): string => ENDPOINTS[id].path.replace('{brand}', brand)

/** The address of an endpoint. */
export const endpointUrl = (id: EndpointId, { baseUrl, brand }: { baseUrl: string; brand: Brand }): string =>
  baseUrl + endpointPath(id, brand)
