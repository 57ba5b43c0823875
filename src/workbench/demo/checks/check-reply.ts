import * as z from 'zod'
import type { ClientCheck, OutcomeFlow } from '../../../sandbox/outcomes/outcome.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import { parseJson } from '../../../service/oidc/request/json.ts'
import { type CheckResult, check } from './check.ts'

/** The server-to-server calls. */
export type CalledFlow = Exclude<OutcomeFlow, 'use' | 'create'>

export interface ServerAnswer {
  readonly status: number
  readonly text: string
}

/**
 * Makes all checks of the reply to a call. Without a reply, for a redirect, or for a body that is
 * no JSON, nothing more can be checked.
 * @param answer absent when the connection broke, or nothing came in time
 * @param issuer the issuer that a discovery document must have
 * @returns `body`: the body as JSON, if it is JSON
 */
export function checkReply(
  flow: CalledFlow,
  answer: ServerAnswer | undefined,
  issuer: string,
): { checks: readonly CheckResult[]; body?: unknown } {
  if (!answer)
    return {
      checks: [check('connection', 'answered in time', { passed: false, found: 'no reply' })],
    }
  const { status, text } = answer
  if (status >= 300 && status < 400) {
    return {
      checks: [
        check('redirect', 'none: no other address gets a secret', { passed: false, found: status }),
      ],
    }
  }
  const { rule, passes } = flow === 'par' ? ANY_SUCCESS : EXACTLY_200
  const json = parseJson(text)
  const checks = [
    check('status', rule, { passed: passes(status), found: status }),
    check('body', 'JSON', { passed: json.ok, found: json.ok ? 'JSON' : json.reason }),
  ]
  if (!json.ok) return { checks }
  return { checks: [...checks, ...MEMBERS[flow](json.value, issuer)], body: json.value }
}

/** RFC 9126 section 2.2 says 201; the specification names no status. */
const ANY_SUCCESS = {
  rule: '200 to 299',
  passes: (status: number) => status >= 200 && status < 300,
}
const EXACTLY_200 = { rule: '200', passes: (status: number) => status === 200 }

const MEMBERS: Readonly<Record<CalledFlow, (body: unknown, issuer: string) => CheckResult[]>> = {
  par: (body) => [
    member(body, 'request_uri', { rule: 'a URN', schema: z.string().startsWith('urn:') }),
    ...checkLifetime(body),
  ],
  token: (body) => [
    member(body, 'access_token', { rule: 'a text', schema: z.string().min(1) }),
    member(body, 'token_type', {
      rule: 'Bearer, in whatever case',
      schema: z.string().regex(/^bearer$/i),
    }),
    ...checkLifetime(body),
  ],
  upgrade: (body) => [check('ok', 'the JSON string OK', { passed: body === 'OK', found: body })],
  discovery: (body, issuer) => {
    const rule = 'an address on the host of the issuer'
    const schema = z.url().refine((address) => new URL(address).origin === new URL(issuer).origin)
    return [
      member(body, 'issuer', { rule: issuer, schema: z.literal(issuer) }),
      member(body, 'authorization_endpoint', { rule, schema }),
      member(body, 'jwks_uri', { rule, schema }),
    ]
  },
  jwks: (body) => [
    check('keys', 'an array of keys', {
      passed: keySetSchema.safeParse(body).success,
      found:
        isJsonObject(body) && Array.isArray(body['keys'])
          ? `${body['keys'].length} keys`
          : 'absent',
    }),
  ],
}

export const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })

/** The demo uses the value at once, so only a wrong lifetime matters, not a missing one. */
const checkLifetime = (body: unknown): CheckResult[] =>
  isJsonObject(body) && body['expires_in'] !== undefined
    ? [member(body, 'expires_in', { rule: 'a number of seconds', schema: z.number().positive() })]
    : []

function member(
  body: unknown,
  name: ClientCheck,
  { rule, schema }: { rule: string; schema: z.ZodType },
): CheckResult {
  const value = isJsonObject(body) ? body[name] : undefined
  const isSecret = name === 'access_token' && value !== undefined && value !== ''
  return check(name, rule, {
    passed: schema.safeParse(value).success,
    found: isSecret ? '***' : value,
  })
}
