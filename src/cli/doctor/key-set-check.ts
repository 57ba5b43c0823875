import * as z from 'zod'
import { ENDPOINTS } from '../../oidc/endpoints.ts'
import { parseJson } from '../../oidc/request/json.ts'
import { connectionProblem } from './connection-problem.ts'
import { type Diagnosis, ok, type Problem, type ProblemName, problem } from './diagnosis.ts'
import { inApp } from './fix-lines.ts'
import { call, type DoctorVisit } from './visit.ts'

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string(), alg: z.string().optional() })) })

/** Members that only a private or a secret key has (RFC 7518 sections 6.2.2, 6.3.2 and 6.4). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** The key set must hold public keys and nothing private. `url` is known to answer. */
export async function checkKeySet(url: string, visit: DoctorVisit): Promise<Diagnosis> {
  const answer = await call(url, visit).catch((error: unknown) => connectionProblem('key_set', url, error, visit))
  if ('problem' in answer) return answer
  const { status, text } = answer
  const json = parseJson(text)
  const parsed = keySet.safeParse(json.ok ? json.value : undefined)
  if (status !== 200 || !parsed.success) return wrong('key_set_unreadable', `${url} answers ${status} and no key set`)
  const { keys } = parsed.data
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

/** The key set must be that of the sandbox whose tokens it is to verify: it stands below the same address as the others. */
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

const wrong = (name: ProblemName, message: string) =>
  problem('key_set', name, {
    message,
    fix: [
      'the sandbox never serves that by itself: something stands between, or an outcome was queued for the key set',
      'in the control API: DELETE /_sandbox/expectations',
      inApp('jwks_uri: leave it out, discovery names it'),
    ],
  })
