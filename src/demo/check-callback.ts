import { compactVerify, createLocalJWKSet } from 'jose'
import * as z from 'zod'
import { decodeIdToken } from '../http/decode-id-token.ts'
import { checkClaims, equal } from './check-claims.ts'
import type { CheckView } from './checks.ts'
import type { Returned, Sent } from './journey.ts'
import type { Received } from './received.ts'

/** What the session remembers of the request, and what the relying party knows of the service. */
export interface Expected {
  /** The parameters of the request. */
  readonly request: Sent
  /** When the request was made, in milliseconds since the UNIX epoch; as `now` by the clock of the sandbox. */
  readonly startedAt: number
  readonly now: number
  readonly issuer: string
  /** Fetches the key set: asked only when there is a token. */
  keySet(): Promise<unknown>
}

/**
 * Everything that a relying party checks of a callback (section "Authentication", rules 2 and 3), each with its result:
 * all of them are made, also after a failed one, so that a reader sees the whole.
 */
export async function checkUseCallback(received: Received, expected: Expected): Promise<Returned> {
  const { params } = received
  const { id_token: token, iss } = params
  const checks = [
    checkState(params, expected.request['state'] ?? ''),
    checkParameters(received),
    // RFC 9207: the parameter is optional, but when it comes it has to be right.
    ...(iss === undefined
      ? []
      : [equal('iss of the callback', 'the issuer', { expected: expected.issuer, actual: iss })]),
  ]
  if (token === undefined) return { params, checks }
  const { payload } = decodeIdToken(token)
  const ofToken = [await checkSignature(token, expected), ...checkClaims(payload, params, expected)]
  return { params, checks: [...checks, ...ofToken], claims: payload }
}

/** What a Use callback may bring: one of these, once. */
const RESULTS = ['id_token', 'create_requested', 'error']

function checkParameters({ params, repeated }: Received): CheckView {
  const results = RESULTS.filter((name) => params[name] !== undefined)
  const found = [results.join(' and ') || 'none', ...repeated.map((name) => `${name} twice`)]
  const passed = results.length === 1 && repeated.length === 0
  return { name: 'parameters', rule: `one of ${RESULTS.join(', ')}, each once`, passed, found: found.join(', ') }
}

/** Whether the callback belongs to a request of this browser. */
export const checkState = (params: Sent, state: string): CheckView =>
  equal('state', 'the one of the session', { expected: state, actual: params['state'] })

const keySetSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) })

async function checkSignature(token: string, { keySet }: Expected): Promise<CheckView> {
  const check = { name: 'signature', rule: 'by a key of the key set, RS256 or ES256' }
  const keys = keySetSchema.safeParse(await keySet())
  if (!keys.success) return { ...check, passed: false, found: 'the key set cannot be read' }
  try {
    const { protectedHeader } = await compactVerify(token, createLocalJWKSet(keys.data), {
      algorithms: ['RS256', 'ES256'],
    })
    return { ...check, passed: true, found: `${protectedHeader.alg} by ${protectedHeader.kid ?? 'a key without kid'}` }
  } catch (error) {
    return { ...check, passed: false, found: error instanceof Error ? error.message : String(error) }
  }
}
