import * as z from 'zod'
import type { ClientCheck } from '../../../sandbox/outcomes/outcome.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import type { CallName } from '../../../service/oidc/endpoints.ts'
import { parseJson } from '../../../service/oidc/request/json.ts'
import { type CheckResult, check } from './check.ts'

/** The server-to-server calls that the demo makes. */
export type CalledFlow = keyof typeof MEMBERS

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

/** The check results of a reply. */
export interface CheckedReply {
  readonly checks: readonly CheckResult[]
  /** The body as JSON, if it is JSON. */
  readonly body?: unknown
}

/**
 * Checks the reply to a call. A missing reply, a redirect, or a body that is not JSON is not
 * checked further.
 * @param answer absent when the connection broke or the reply took too long
 * @param issuer the issuer that a discovery document must have
 */
export function checkReply(
  flow: CalledFlow,
  answer: ServerAnswer | undefined,
  issuer: string,
): CheckedReply {
  if (!answer) return { checks: [check('connection', { passed: false, found: 'no reply' })] }
  const { status, text } = answer
  if (status >= 300 && status < 400) {
    return { checks: [check('redirect', { passed: false, found: status })] }
  }
  const json = parseJson(text)
  const checks = [
    checkStatus(flow, status),
    check('body', { passed: json.ok, found: json.ok ? 'JSON' : json.reason }),
  ]
  if (!json.ok) return { checks }
  return { checks: [...checks, ...MEMBERS[flow](json.value, issuer)], body: json.value }
}

/**
 * RFC 9126 section 2.2 requires 201 for PAR, but the specification names no status, so any 2xx
 * passes.
 */
const checkStatus = (flow: CalledFlow, found: number): CheckResult =>
  flow === 'par'
    ? check('status', { passed: found >= 200 && found < 300, found, expected: '200 to 299' })
    : check('status', { passed: found === 200, found, expected: '200' })

const MEMBERS = {
  par: (body) => [
    member(body, 'request_uri', z.string().startsWith('urn:')),
    ...checkLifetime(body),
  ],
  token: (body) => [
    member(body, 'access_token', z.string().min(1)),
    member(body, 'token_type', z.string().regex(/^bearer$/i)),
    ...checkLifetime(body),
  ],
  upgrade: (body) => [check('ok', { passed: body === 'OK', found: body })],
  discovery: (body, issuer) => {
    const address = z.url().refine((url) => new URL(url).origin === new URL(issuer).origin)
    return [
      member(body, 'issuer', z.literal(issuer), issuer),
      member(body, 'authorization_endpoint', address),
      member(body, 'jwks_uri', address),
    ]
  },
  jwks: (body) => [
    check('keys', { passed: keySetSchema.safeParse(body).success, found: keysIn(body) }),
  ],
} satisfies Partial<Record<CallName, (body: unknown, issuer: string) => CheckResult[]>>

export const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })

const keysIn = (body: unknown) =>
  isJsonObject(body) && Array.isArray(body['keys']) ? `${body['keys'].length} keys` : 'absent'

/**
 * The demo uses the request_uri or token at once, so a missing lifetime does not matter, but a
 * wrong one does.
 */
const checkLifetime = (body: unknown): CheckResult[] =>
  isJsonObject(body) && body['expires_in'] !== undefined
    ? [member(body, 'expires_in', z.number().positive())]
    : []

function member(
  body: unknown,
  name: ClientCheck,
  schema: z.ZodType,
  expected?: string,
): CheckResult {
  const value = isJsonObject(body) ? body[name] : undefined
  const isSecret = name === 'access_token' && value !== undefined && value !== ''
  return check(name, {
    passed: schema.safeParse(value).success,
    found: isSecret ? '***' : value,
    ...(expected !== undefined && { expected }),
  })
}
