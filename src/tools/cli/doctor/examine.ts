import * as z from 'zod'
import { isLoopbackHost, isLoopbackUrl } from '../../../sandbox/addresses/addresses.ts'
import { BUILTIN_CLIENT } from '../../../sandbox/clients/clients.ts'
import type { HttpAnswer } from '../../../server/client/exchange.ts'
import { ENDPOINTS } from '../../../service/oidc/endpoints.ts'
import { readJson } from '../remote/reach-sandbox.ts'
import {
  type Diagnosis,
  inApp,
  inSandbox,
  ok,
  type Problem,
  problem,
  skipped,
} from './diagnosis.ts'
import { ask, type Discovery, type DoctorVisit, readDiscovery, useIssuerNear } from './visit.ts'

/**
 * Runs all checks from the machine of the app. Checks that an earlier problem makes impossible are
 * left out. A problem is a diagnosis, never an exception.
 */
export async function examine(visit: DoctorVisit): Promise<readonly Diagnosis[]> {
  if (!ISSUER.test(visit.issuer) || !URL.canParse(visit.issuer)) return [malformed(visit.issuer)]
  const [surplus = ''] = SURPLUS.exec(visit.issuer) ?? []
  if (surplus !== '') return [await tooLong(visit, visit.issuer.slice(0, -surplus.length))]
  const use = await readDiscovery(visit, 'use')
  if ('problem' in use) return [use]
  const create = await readDiscovery(visit, 'create')
  const reached = ok('reachable', `${use.foundAt}: answers`)
  if ('problem' in create) return [reached, checkIssuer(visit, use), create]

  const { jwks_uri: jwksUri, token_endpoint: tokenUrl } = use.document
  const { pushed_authorization_request_endpoint: parUrl } = create.document
  // The app's server calls these URLs: discovery must name each, and each must answer from here.
  const urls = {
    jwks_uri: jwksUri,
    token_endpoint: tokenUrl,
    pushed_authorization_request_endpoint: parUrl,
  }
  const addresses = await Promise.all(
    Object.entries(urls).map(([name, url]) =>
      checkAddress(name, url, { visit, foundAt: use.foundAt }),
    ),
  )
  const [keySetAddress, , parAddress] = addresses
  return [
    reached,
    checkIssuer(visit, use),
    checkClock(use.answer, visit.now()),
    ...addresses,
    keySetAddress?.status === 'ok' && jwksUri !== undefined
      ? (checkKeySetAddress(jwksUri, tokenUrl) ?? (await checkKeySet(jwksUri, visit)))
      : skipped('key_set', 'jwks_uri cannot be reached'),
    parAddress?.status === 'ok'
      ? await checkClient(parUrl, visit)
      : skipped('client', 'its address cannot be reached'),
    await checkRedirect(use.foundAt, visit),
  ]
}

/**
 * An issuer without white space and control characters: URL parsers remove or encode them, but
 * clients compare issuers as plain strings.
 */
const ISSUER = /^https?:\/\/[^/?#\s\p{Cc}][^\s\p{Cc}]*$/iu

const malformed = (issuer: string) =>
  problem('issuer', 'issuer_malformed', {
    message: `${JSON.stringify(issuer)} ${/[\s\p{Cc}]/u.test(issuer) ? 'holds a blank or a control character, as no issuer does' : 'is no http or https URL'}`,
    fix: [inApp('issuer: http://localhost:2435/v1/oidc/use')],
  })

/**
 * What people copy together with an issuer: the path of the discovery document, a query, a
 * fragment.
 */
const SURPLUS = /(?:\/+\.well-known\/openid-configuration\/*)?(?:[?#].*)?$/

/** The problem of an issuer with a surplus. The fix names the issuer that the sandbox publishes. */
const tooLong = async (visit: DoctorVisit, rest: string) =>
  problem('issuer', 'issuer_malformed', {
    message: `${visit.issuer}: an issuer ends before ${visit.issuer.slice(rest.length)}`,
    fix: [inApp(`issuer: ${(await useIssuerNear({ ...visit, issuer: rest })) ?? rest}`)],
  })

/**
 * Maximum clock difference: a token is valid for ten minutes, many libraries allow no difference,
 * and a `Date` header has only whole seconds.
 */
const MAX_DIFFERENCE_SECONDS = 30

/**
 * Compares the clock of the sandbox's machine, from the `Date` header, with `now` in epoch
 * milliseconds.
 */
function checkClock({ headers }: HttpAnswer, now: number): Diagnosis {
  const theirs = Date.parse(headers['date'] ?? '')
  if (Number.isNaN(theirs)) return skipped('clock', 'the answer has no Date header')
  const seconds = Math.round((theirs - now) / 1000)
  if (Math.abs(seconds) <= MAX_DIFFERENCE_SECONDS)
    return ok('clock', `${Math.abs(seconds)} s apart`)
  return problem('clock', 'clock_difference', {
    message: `the clock of the sandbox is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} this machine's; tokens would seem ${seconds > 0 ? 'issued in the future' : 'older than they are'}`,
    fix: [
      'on both machines: timedatectl set-ntp true',
      'with Docker Desktop: restart it, its clock stands still while the computer sleeps',
    ],
  })
}

/**
 * Checks that the issuer of the app equals the issuer in the discovery document (OpenID Connect
 * Discovery 1.0 section 4.3).
 */
export function checkIssuer({ issuer }: DoctorVisit, { document }: Discovery): Diagnosis {
  const published = document.issuer
  // Create has a discovery document but issues no id_tokens. An app with the issuer of Create would
  // refuse every id_token.
  if (/\/v1\/oidc\/create\/*$/.test(issuer))
    return problem('issuer', 'issuer_of_create', {
      message: `the app has ${issuer}, the issuer of Create, which issues no id_token: each one says iss ${published}`,
      fix: [
        inApp(`issuer: ${published}`),
        `for Use and Upgrade: discovery and id_tokens of ${published}`,
        `for Create alone: pushed requests by the discovery document of ${withoutSlash(issuer)}, or the two addresses by hand`,
      ],
    })
  if (issuer === published) return ok('issuer', `${issuer}: the discovery document says the same`)
  if (!URL.canParse(withoutSlash(published))) {
    return problem('issuer', 'discovery_unreadable', {
      message: `the app has ${issuer}, the discovery document says ${JSON.stringify(published)}, which is no URL`,
      fix: [inApp('issuer: that of a sandbox; this discovery document is of another service')],
    })
  }
  const name = differenceOf(issuer, published)
  return problem('issuer', name, {
    message: `the app has ${issuer}, the sandbox says ${published}: ${DIFFERENCES[name]}`,
    fix: fixOf(name, { issuer, published }),
  })
}

const DIFFERENCES = {
  issuer_trailing_slash: 'only the slash at the end differs, and the comparison is exact',
  issuer_scheme: 'one is http, the other https',
  issuer_loopback_name: 'both are this machine, but issuers are compared as texts',
  issuer_port: 'the ports differ',
  issuer_path: 'the paths differ',
  issuer_host: 'the hosts differ',
  issuer_spelling: 'capitals or a port that goes without saying, and the comparison is exact',
} as const

type Difference = keyof typeof DIFFERENCES

function differenceOf(issuer: string, published: string): Difference {
  if (withoutSlash(issuer) === withoutSlash(published)) return 'issuer_trailing_slash'
  const [given, said] = [new URL(withoutSlash(issuer)), new URL(withoutSlash(published))]
  const areLoopback = [given, said].every(({ hostname }) => isLoopbackHost(hostname))
  if (given.hostname !== said.hostname && !areLoopback) return 'issuer_host'
  if (given.hostname !== said.hostname && given.port === said.port) return 'issuer_loopback_name'
  if (given.protocol !== said.protocol) return 'issuer_scheme'
  if (given.port !== said.port) return 'issuer_port'
  return given.pathname === said.pathname ? 'issuer_spelling' : 'issuer_path'
}

function fixOf(
  name: Difference,
  { issuer, published }: { issuer: string; published: string },
): string[] {
  const app = inApp(`issuer: ${published}`)
  const base = withoutSlash(issuer).replace(/\/v1\/oidc\/(?:use|create)$/, '')
  const areLoopback = isLoopbackUrl(withoutSlash(issuer)) && isLoopbackUrl(withoutSlash(published))
  const leaveOut = areLoopback
    ? ['or leave base_url out: the sandbox then answers under each address of this machine']
    : []
  if (name === 'issuer_loopback_name') return [app, ...leaveOut]
  if (name === 'issuer_scheme' || name === 'issuer_port')
    return [
      app,
      'or, when browsers use the address of the app:',
      ...inSandbox('base_url', base),
      ...leaveOut,
    ]
  if (name !== 'issuer_host') return [app]
  return [
    `keep the address of browsers as the issuer; ${app}`,
    `and let the app's servers use the other one, by reading discovery from ${withoutSlash(issuer)}:`,
    ...inSandbox('internal_url', base),
    `then ask again: agekey-sandbox doctor --issuer ${published} --internal-url ${base}`,
    `or, when browsers can open ${base} too:`,
    ...inSandbox('base_url', base),
  ]
}

const withoutSlash = (url: string) => url.replace(/\/+$/, '')

/**
 * Checks that a URL of the discovery documents answers. Sends a HEAD request, which changes
 * nothing.
 */
export async function checkAddress(
  name: string,
  url: string | undefined,
  { visit, foundAt }: { visit: DoctorVisit; foundAt: string },
): Promise<Diagnosis> {
  if (url === undefined || !URL.canParse(url)) {
    return problem('addresses', 'address_missing', {
      message: `${name}: the discovery document does not name it`,
      fix: [inApp('issuer: that of a sandbox; this discovery document is of another service')],
    })
  }
  const answer = await ask(url, visit, { check: 'addresses', method: 'HEAD' })
  if ('problem' in answer) {
    if (answer.check === 'tls') return answer
    return unreachable(`${name}: ${url} cannot be reached from here: ${answer.message}`, {
      url,
      foundAt,
    })
  }
  const { status } = answer
  if (status !== 404 && status < 500) return ok('addresses', `${name}: ${url} answers`)
  return unreachable(`${name}: ${url} answers ${status}`, { url, foundAt })
}

function unreachable(
  message: string,
  { url, foundAt }: { url: string; foundAt: string },
): Diagnosis {
  const base = foundAt.replace(/(?:\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)$/, '')
  const isBrowsersOnly = isLoopbackUrl(url) && new URL(url).origin !== new URL(base).origin
  return problem('addresses', 'address_unreachable', {
    message,
    fix: isBrowsersOnly
      ? [
          'discovery names the address of browsers; set the one that servers use:',
          ...inSandbox('internal_url', base),
        ]
      : [
          'discovery names addresses below base_url, or below internal_url for those who call by it:',
          ...inSandbox('base_url', base),
        ],
  })
}

const keySet = z.object({
  keys: z.array(z.looseObject({ kty: z.string(), alg: z.string().optional() })),
})

/** Members that only a private or secret key has (RFC 7518 sections 6.2.2, 6.3.2 and 6.4). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Checks that the key set has public keys and no private members. `url` must answer. */
export async function checkKeySet(url: string, visit: DoctorVisit): Promise<Diagnosis> {
  const answer = await ask(url, visit, { check: 'key_set' })
  if ('problem' in answer) return answer
  const { status } = answer
  const keys = readJson(answer, keySet)?.keys
  if (status !== 200 || !keys)
    return wrong('key_set_unreadable', `${url} answers ${status} and no key set`)
  if (keys.length === 0)
    return wrong('key_set_empty', `${url}: there is no key in it, so no token can be verified`)
  const leaked = PRIVATE_MEMBERS.filter((member) => keys.some((key) => member in key))
  if (leaked.length > 0) {
    return wrong(
      'key_set_private',
      `${url}: it exposes private keys (${leaked.join(', ')}); every reader of it can sign`,
    )
  }
  const algorithms = [...new Set(keys.map(({ alg, kty }) => alg ?? kty))].join(', ')
  return ok(
    'key_set',
    `${url}: ${keys.length} public ${keys.length === 1 ? 'key' : 'keys'} (${algorithms})`,
  )
}

/**
 * Checks that the key set belongs to the sandbox that issues the tokens: both need the same base
 * URL. `undefined` if it does.
 */
export function checkKeySetAddress(
  jwksUri: string,
  tokenEndpoint: string | undefined,
): Problem | undefined {
  const base = /^(.*)\/v1\/oidc\/use\/token$/.exec(tokenEndpoint ?? '')?.[1]
  if (base === undefined || jwksUri === base + ENDPOINTS.jwks.path) return undefined
  return problem('key_set', 'key_set_foreign', {
    message: `${jwksUri}: the key set of another sandbox or tenant than ${base}, whose tokens it does not verify`,
    fix: [
      'something stands between and changes discovery, or keeps an old one; what is right:',
      inApp(`jwks_uri: ${base}${ENDPOINTS.jwks.path}`),
    ],
  })
}

const wrong = (name: string, message: string) =>
  problem('key_set', name, {
    message,
    fix: [
      'the sandbox never serves that by itself: something stands between, or an outcome was queued for the key set',
      'in the control API: DELETE /_sandbox/expectations',
      inApp('jwks_uri: leave it out, discovery names it'),
    ],
  })

/**
 * Checks the client credentials. Sends a pushed request with a wrong `response_type`: the sandbox
 * answers 401 for wrong credentials, otherwise 400. No flow begins.
 */
export async function checkClient(
  parUrl: string | undefined,
  visit: DoctorVisit,
): Promise<Diagnosis> {
  const { clientId, clientSecret } = visit
  if (clientId === undefined || clientSecret === undefined) {
    return skipped('client', 'give --client-id and --client-secret to have them checked')
  }
  if (parUrl === undefined)
    return skipped('client', 'discovery names no address for pushed requests')
  const body = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    response_type: 'doctor',
  })
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const answer = await ask(parUrl, visit, {
    check: 'client',
    method: 'POST',
    headers,
    body: String(body),
  })
  if ('problem' in answer) return answer
  if (answer.status === 400) return ok('client', `${clientId}: the sandbox knows it and its secret`)
  if (answer.status !== 401)
    return problem('client', 'unexpected_answer', {
      message: `${parUrl} answers ${answer.status} to a wrong request, where 400 or 401 was due`,
      fix: [
        'in the control API: DELETE /_sandbox/expectations, in case an outcome was queued for pushed requests',
      ],
    })
  const isBuiltin = clientId === BUILTIN_CLIENT.clientId
  return problem('client', 'client_refused', {
    message: `${clientId}: the sandbox refuses these credentials (invalid_client)`,
    fix: [
      inApp(`client_id: ${BUILTIN_CLIENT.clientId}`),
      inApp(`client_secret: ${BUILTIN_CLIENT.clientSecret}`),
      isBuiltin ? 'unless the sandbox says builtin_client: false' : declareClient(clientId),
    ],
  })
}

const refusal = z.object({
  error_description: z.string(),
  findings: z.array(z.object({ path: z.string() })),
})

/**
 * Checks that the client exists and that the redirect_uri is registered. Sends an authorization
 * request with a wrong `response_type`: the error is redirected to a registered redirect_uri, and
 * otherwise shown on a page. No flow begins.
 */
export async function checkRedirect(authorizeUrl: string, visit: DoctorVisit): Promise<Diagnosis> {
  const { clientId, redirectUri } = visit
  const unchecked = skipped('redirect_uri', 'give --redirect-uri to have it checked')
  if (clientId === undefined) return unchecked
  const query = new URLSearchParams({
    scope: 'openid',
    response_type: 'doctor',
    client_id: clientId,
    ...(redirectUri !== undefined && { redirect_uri: redirectUri }),
    state: 'doctor',
    nonce: 'doctor',
  })
  const answer = await ask(`${authorizeUrl}?${query}`, visit, {
    check: 'redirect_uri',
    headers: { Accept: 'application/json' },
  })
  if ('problem' in answer) return answer
  if (redirectUri !== undefined && answer.headers['location']?.startsWith(redirectUri)) {
    return ok('redirect_uri', `${redirectUri}: registered for ${clientId}`)
  }
  const { findings = [], error_description: description } = readJson(answer, refusal) ?? {}
  const faults = findings.map(({ path }) => path)
  if (faults.includes('client_id'))
    return problem('redirect_uri', 'client_unknown', {
      message: `${clientId}: the sandbox has no such client`,
      fix: [inApp(`client_id: ${BUILTIN_CLIENT.clientId}`), declareClient(clientId)],
    })
  if (redirectUri === undefined) return unchecked
  if (faults.includes('redirect_uri')) return unregistered({ clientId, redirectUri })
  return problem('redirect_uri', 'unexpected_answer', {
    message: `${authorizeUrl} answers ${answer.status}${description === undefined ? '' : `: ${description}`}`,
    fix: ['in the control API: DELETE /_sandbox/expectations, in case an outcome was queued'],
  })
}

const unregistered = ({ clientId, redirectUri }: { clientId: string; redirectUri: string }) =>
  problem('redirect_uri', 'redirect_uri_unregistered', {
    message: `${redirectUri} is not registered for ${clientId}; it is compared by exact match`,
    fix:
      clientId === BUILTIN_CLIENT.clientId
        ? [
            `start the sandbox with --redirect-uri ${redirectUri}, or declare a client of your own:`,
            `agekey-sandbox.yaml: clients: [{ client_id: web-shop, client_secret: not-a-real-secret, redirect_uris: [${redirectUri}] }]`,
          ]
        : [`agekey-sandbox.yaml, at the client ${clientId}: redirect_uris: [${redirectUri}]`],
  })

/** The line that declares a client in the config file of the sandbox. */
const declareClient = (clientId: string): string =>
  `or agekey-sandbox.yaml: clients: [{ client_id: ${clientId}, client_secret: THE-SECRET, redirect_uris: [THE-CALLBACK] }]`
