import { expect, test } from 'vitest'
import { OUTCOMES, rowId } from '../../../src/sandbox/outcomes/catalogue.ts'
import type { Check, OutcomeFlow } from '../../../src/sandbox/outcomes/outcome.ts'
import type { ServerReply } from '../../../src/sandbox/outcomes/server-reply.ts'
import { createTamperTools } from '../../../src/sandbox/outcomes/tamper-tools.ts'
import { goodReply } from '../../support/good-reply.ts'
import { createTestTenant } from '../../support/tenant.ts'

type Checks = Partial<Record<Check, boolean>>
type Json = Readonly<Record<string, unknown>>

const tenant = await createTestTenant()
const { baseUrl } = tenant.provider
const { kid, publicJwk } = await tenant.keys.keyFor('RS256')
const good = (flow: OutcomeFlow) => goodReply(flow, baseUrl, [publicJwk, { kty: 'EC', kid: 'other' }])

/** What a client reads as the JSON of a body; absent when it is none. */
function readBody({ body, headers }: ServerReply): { value: unknown } | undefined {
  if (body.kind === 'json') return { value: body.value }
  if (body.kind !== 'text' || !headers['Content-Type']?.startsWith('application/json')) return undefined
  try {
    return { value: JSON.parse(body.text) }
  } catch {
    return undefined
  }
}

/** Each check of a reply by itself. A check of what did not come finds nothing. */
function checksOf(flow: OutcomeFlow, reply: ServerReply): Checks {
  const comes = { connection: reply.dropped === undefined && reply.delayMs === undefined }
  if (reply.dropped) return comes
  if (reply.body.kind === 'redirect') return { ...comes, redirect: false }
  const body = readBody(reply)
  const whole = { ...comes, status: reply.status >= 200 && reply.status < 300, body: body !== undefined }
  return body ? { ...whole, ...MEMBERS[flow]?.(body.value) } : whole
}

const asObject = (value: unknown): Json => (typeof value === 'object' && value !== null ? { ...value } : {})
const isNumber = (value: unknown) => value === undefined || typeof value === 'number'
const isText = (value: unknown) => typeof value === 'string' && value !== ''
const isOnHost = (value: unknown) => isText(value) && new URL(String(value)).host === new URL(baseUrl).host

const MEMBERS: Readonly<Partial<Record<OutcomeFlow, (value: unknown) => Checks>>> = {
  par(value) {
    const { request_uri: requestUri, expires_in: expiresIn } = asObject(value)
    return { request_uri: isText(requestUri), expires_in: isNumber(expiresIn) }
  },
  token(value) {
    const { access_token: accessToken, token_type: tokenType, expires_in: expiresIn } = asObject(value)
    return {
      access_token: isText(accessToken),
      token_type: String(tokenType).toLowerCase() === 'bearer',
      expires_in: isNumber(expiresIn),
    }
  },
  upgrade: (value) => ({ ok: value === 'OK' }),
  discovery(value) {
    const { issuer, jwks_uri: jwksUri, authorization_endpoint: authorizationEndpoint } = asObject(value)
    return {
      issuer: issuer === `${baseUrl}/v1/oidc/use`,
      jwks_uri: isOnHost(jwksUri),
      authorization_endpoint: isOnHost(authorizationEndpoint),
    }
  },
  jwks(value) {
    const { keys } = asObject(value)
    if (!Array.isArray(keys) || keys.length === 0) return { keys: false }
    const named = keys.filter((key: Json) => key['kid'] === kid)
    const isOwn = (key: Json) => key['n'] === publicJwk.n
    return { kid: named.length > 0, signature: named.some(isOwn) || (named.length === 0 && keys.some(isOwn)) }
  },
}

const ROWS = OUTCOMES.flatMap((row) =>
  row.seam === 'reply' && row.apply ? [{ id: rowId(row), row, apply: row.apply }] : [],
)

test.each(ROWS)('The reply $id fails the checks that it breaks, and no other', async ({ row, apply }) => {
  await tenant.reset()
  const reply = await apply(good(row.flow), createTamperTools(tenant))
  const failing = Object.entries(checksOf(row.flow, reply)).flatMap(([check, holds]) => (holds ? [] : [check]))
  expect(failing.toSorted()).toEqual(row.breaks.toSorted())
})

test.each(['par', 'token', 'upgrade', 'discovery', 'jwks'] as const)('A good reply to %s fails no check', (flow) => {
  expect(Object.values(checksOf(flow, good(flow)))).not.toContain(false)
})
