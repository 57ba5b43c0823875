import type { Brand } from './rules/profile.ts'

/** One endpoint of the service. Every other list of endpoints is derived from `ENDPOINTS`. */
export interface Endpoint {
  /** The number in the specification, which the journal and the pages show. */
  readonly number: string
  /** The flow of the calls; absent for discovery and the key set. */
  readonly flow?: 'use' | 'create' | 'upgrade'
  readonly method: 'get' | 'post'
  /** The path below the base URL; `{brand}` is the brand word. */
  readonly path: string
  /** The heading of the list of outcomes. */
  readonly name?: string
  /** Describes a call in a few words. */
  readonly title: string
  /** What a relying party uses the endpoint for. */
  readonly purpose?: string
  /**
   * Who calls the endpoint. `browser`: a browser, by a redirect or a form. `server`: only the
   * server of the client. `any`: both, so CORS is allowed.
   */
  readonly caller: 'browser' | 'server' | 'any'
  /** The name of the call in outcomes, the queue, recordings and the coverage. */
  readonly call?: string
  /** Other browser flows in which the call occurs. */
  readonly follows?: readonly ('use' | 'create')[]
  /** The identifier in the call that an earlier call of the flow issued. */
  readonly correlation?: CorrelationKind
  /** The identifier that the answer issues. */
  readonly issues?: 'code' | 'request_uri' | 'access_token'
  /** The successful response to a server-to-server call. */
  readonly reply?: GoodReply
  /** Words in paths that developers may try instead: ours, and the words of other providers. */
  readonly words?: readonly string[]
  /** `false`: the call continues a flow and never begins one. */
  readonly beginsFlow?: false
}

/** The successful response to a server-to-server call. */
interface GoodReply {
  /** The document and section that define the response. */
  readonly source: string
  /** The members of the response; `ok` stands for the JSON string OK. */
  readonly members: readonly ReplyMember[]
  /**
   * What a client does when no response arrives: the client cannot know whether the service acted.
   */
  readonly unanswered: string
}

type ReplyMember =
  | 'request_uri'
  | 'access_token'
  | 'token_type'
  | 'ok'
  | 'issuer'
  | 'jwks_uri'
  | 'authorization_endpoint'
  | 'keys'

export type CorrelationKind = 'transaction' | 'request_uri' | 'code' | 'access_token' | 'trap'

const BROWSER_FLOWS = ['use', 'create'] as const
const AUTHORIZATION_WORDS = ['authorize', 'authorization', 'auth', 'login'] as const
const DISCOVERY_WORDS = ['openid-configuration', 'oauth-authorization-server'] as const
const READ_AGAIN =
  'A broken connection is an error to handle: read once more, or go on with what was read before.'
const DISCOVERY_REPLY = {
  source: 'OpenID Connect Discovery 1.0 section 4.2',
  members: ['issuer', 'jwks_uri', 'authorization_endpoint'],
  unanswered: READ_AGAIN,
} as const

/** E1 to E6 (specification, "Endpoints"). */
export const ENDPOINTS = {
  use: {
    number: 'E1',
    flow: 'use',
    method: 'get',
    path: '/v1/oidc/use',
    name: 'Use',
    title: 'Use authorization',
    purpose: 'Use: send the browser here',
    caller: 'browser',
    call: 'use',
    issues: 'code',
    words: ['use', ...AUTHORIZATION_WORDS],
  },
  par: {
    number: 'E2',
    flow: 'create',
    method: 'post',
    path: '/v1/oidc/create/par',
    name: 'PAR',
    title: 'Create request pushed',
    purpose: 'Create: push the request',
    caller: 'server',
    call: 'par',
    follows: BROWSER_FLOWS,
    issues: 'request_uri',
    reply: {
      source:
        'specification, "E2. Create PAR": "Success response: JSON object {request_uri: string, expires_in: 90}."',
      members: ['request_uri'],
      unanswered:
        'A broken connection is an error to handle: push again, which makes another reference, or give up.',
    },
    words: ['par', 'pushed-authorization-request'],
  },
  create: {
    number: 'E3',
    flow: 'create',
    method: 'get',
    path: '/v1/oidc/create',
    name: 'Create',
    title: 'Create authorization',
    purpose: 'Create: send the browser here',
    caller: 'browser',
    call: 'create',
    correlation: 'request_uri',
    words: ['create', ...AUTHORIZATION_WORDS],
  },
  token: {
    number: 'E4',
    flow: 'upgrade',
    method: 'post',
    path: '/v1/oidc/use/token',
    name: 'Token',
    title: 'Code exchanged for a token',
    purpose: 'Upgrade: the code for a token',
    caller: 'server',
    call: 'token',
    follows: ['use'],
    correlation: 'code',
    issues: 'access_token',
    reply: {
      source:
        'specification, "E4. Use token": "Response: the token response object (see Resources)."',
      members: ['access_token', 'token_type'],
      unanswered:
        'The code may be spent: do not send it again (RFC 6749 section 4.1.2), and let the user begin again.',
    },
    words: ['token', 'access_token'],
  },
  upgrade: {
    number: 'E5',
    flow: 'upgrade',
    method: 'post',
    path: '/v1/{brand}/upgrade',
    name: 'Upgrade',
    title: 'Age signals added',
    purpose: 'Upgrade: add age signals',
    caller: 'server',
    call: 'upgrade',
    follows: ['use'],
    correlation: 'access_token',
    reply: {
      source:
        'specification, "E5. Upgrade age key": "Response: status 200, body the JSON string OK."',
      members: ['ok'],
      unanswered:
        'It is not known whether the age key is upgraded: say so, and do not send the call again by itself.',
    },
    words: ['upgrade'],
  },
  useDiscovery: {
    number: 'E6',
    method: 'get',
    path: '/v1/oidc/use/.well-known/openid-configuration',
    name: 'Discovery',
    title: 'Use discovery',
    caller: 'any',
    call: 'discovery',
    follows: BROWSER_FLOWS,
    reply: DISCOVERY_REPLY,
    words: DISCOVERY_WORDS,
  },
  createDiscovery: {
    number: 'E6',
    method: 'get',
    path: '/v1/oidc/create/.well-known/openid-configuration',
    name: 'Discovery',
    title: 'Create discovery',
    caller: 'any',
    call: 'discovery',
    follows: BROWSER_FLOWS,
    reply: DISCOVERY_REPLY,
    words: DISCOVERY_WORDS,
  },
  jwks: {
    number: 'E6',
    method: 'get',
    path: '/.well-known/jwks.json',
    name: 'Key set',
    title: 'Key set',
    purpose: 'Keys that sign the id_token',
    caller: 'any',
    call: 'jwks',
    follows: BROWSER_FLOWS,
    reply: { source: 'RFC 7517 section 5', members: ['keys'], unanswered: READ_AGAIN },
    words: ['jwks', 'jwks.json', 'certs', 'keys'],
  },
} as const satisfies Readonly<Record<string, Endpoint>>

export type EndpointId = keyof typeof ENDPOINTS
export const ENDPOINT_IDS = Object.keys(ENDPOINTS).filter((id): id is EndpointId => id in ENDPOINTS)

/** The name of a call, such as `par`. The two discovery documents share one name. */
export type CallName = (typeof ENDPOINTS)[EndpointId]['call']
export type ServerCall = Exclude<CallName, (typeof BROWSER_FLOWS)[number]>

const ROWS: readonly (Endpoint & { readonly call: CallName })[] = Object.values(ENDPOINTS)
const isOfServer = (call: CallName): call is ServerCall =>
  !BROWSER_FLOWS.some((flow) => flow === call)

export const SERVER_CALLS: readonly ServerCall[] = [
  ...new Set(ROWS.map(({ call }) => call).filter(isOfServer)),
]
/** The browser flows, then the server-to-server calls. */
export const CALLS: readonly CallName[] = [...BROWSER_FLOWS, ...SERVER_CALLS]

/**
 * The first endpoint with this call name.
 * @throws Error when no endpoint has the name
 */
export function endpointOf(call: CallName): Endpoint {
  const endpoint = ROWS.find((row) => row.call === call)
  if (!endpoint) throw new Error(`there is no endpoint of ${call}`)
  return endpoint
}

/**
 * The successful response to a server-to-server call.
 * @throws Error when the endpoint defines none
 */
export function replyOf(call: ServerCall): GoodReply {
  const { reply } = endpointOf(call)
  if (!reply) throw new Error(`the endpoint of ${call} says nothing of its good reply`)
  return reply
}

/** The name and number of an endpoint: `PAR (E2)`. */
export function headingOf(call: CallName): string {
  const { name = call, number } = endpointOf(call)
  return `${name} (${number})`
}

/** The path of an endpoint below the base URL. */
export const endpointPath = (id: EndpointId, brand: Brand): string =>
  ENDPOINTS[id].path.replace('{brand}', brand)

/** The URL of an endpoint. */
export const endpointUrl = (
  id: EndpointId,
  { baseUrl, brand }: { baseUrl: string; brand: Brand },
): string => baseUrl + endpointPath(id, brand)
