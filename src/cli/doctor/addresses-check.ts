import * as z from 'zod'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import { LOOPBACK_HOSTS } from '../../sandbox/addresses/web-address.ts'
import { readJson } from '../remote/http-call.ts'
import { connectionProblem } from './connection-problem.ts'
import { type Diagnosis, inApp, inSandbox, ok, type Problem, problem } from './diagnosis.ts'
import type { Discovery } from './discovery.ts'
import { call, type DoctorVisit } from './visit.ts'

/** The URLs that only servers call: discovery must name each, and each must answer from here. */
export function addressesOf(use: Discovery, create: Discovery) {
  return [
    ['jwks_uri', use.document.jwks_uri],
    ['token_endpoint', use.document.token_endpoint],
    ['pushed_authorization_request_endpoint', create.document.pushed_authorization_request_endpoint],
  ] as const
}

/** Checks whether a URL of the discovery documents answers, without sending anything that changes it. */
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
  try {
    const { status } = await call(url, visit, { method: 'HEAD' })
    if (status !== 404 && status < 500) return ok('addresses', `${name}: ${url} answers`)
    return unreachable(`${name}: ${url} answers ${status}`, { url, foundAt })
  } catch (error) {
    const cause = await connectionProblem('addresses', url, error, visit)
    if (cause.check === 'tls') return cause
    return unreachable(`${name}: ${url} cannot be reached from here: ${cause.message}`, { url, foundAt })
  }
}

function unreachable(message: string, { url, foundAt }: { url: string; foundAt: string }): Diagnosis {
  const base = foundAt.replace(/(?:\/t\/[^/]+)?\/v1\/oidc\/(?:use|create)$/, '')
  const isBrowsersOnly = LOOPBACK_HOSTS.includes(new URL(url).hostname) && new URL(url).origin !== new URL(base).origin
  return problem('addresses', 'address_unreachable', {
    message,
    fix: isBrowsersOnly
      ? ['discovery names the address of browsers; set the one that servers use:', ...inSandbox('internal_url', base)]
      : [
          'discovery names addresses below base_url, or below internal_url for those who call by it:',
          ...inSandbox('base_url', base),
        ],
  })
}

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), alg: z.string().optional() })) })

/** Members that only a private or secret key has (RFC 7518 sections 6.2.2, 6.3.2 and 6.4). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The key set must hold public keys and nothing private. `url` is known to answer. */
export async function checkKeySet(url: string, visit: DoctorVisit): Promise<Diagnosis> {
  const answer = await call(url, visit).catch((error: unknown) => connectionProblem('key_set', url, error, visit))
  if ('problem' in answer) return answer
  const { status } = answer
  const keys = readJson(answer, keySet)?.keys
  if (status !== 200 || !keys) return wrong('key_set_unreadable', `${url} answers ${status} and no key set`)
  if (keys.length === 0) return wrong('key_set_empty', `${url}: there is no key in it, so no token can be verified`)
  const leaked = PRIVATE_MEMBERS.filter((member) => keys.some((key) => member in key))
  if (leaked.length > 0) {
    return wrong(
      'key_set_private',
      `${url}: it exposes private keys (${leaked.join(', ')}); every reader of it can sign`,
    )
  }
  const algorithms = [...new Set(keys.map(({ alg, kty }) => alg ?? kty))].join(', ')
  return ok('key_set', `${url}: ${keys.length} public ${keys.length === 1 ? 'key' : 'keys'} (${algorithms})`)
}

/** The key set must be that of the sandbox whose tokens it verifies: below the same base URL as the other endpoints. */
export function checkKeySetAddress(jwksUri: string, tokenEndpoint: string | undefined): Problem | undefined {
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
