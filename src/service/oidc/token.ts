import * as z from 'zod'
import { quote } from '../text/message-parts.ts'
import {
  collection,
  expiredText,
  type Found,
  forgottenAt,
  isExpired,
  spendables,
} from './collection.ts'
import { ACCESS_TOKEN_BYTES, ACCESS_TOKEN_PREFIX, IDENTIFIER_BYTES } from './policy.ts'
import { type Awaitable, type Client, type Clients, type RecordChange, whenThere } from './ports.ts'
import { inIssuedForm, inSeconds, type Provider } from './provider.ts'
import { assertionAlone, assertionBeside } from './request/client-assertion.ts'
import { authenticateByBasic } from './request/client-auth.ts'
import {
  base64Problem,
  basicProblem,
  mistakenFor,
  receivedInstead,
} from './request/client-mistakes.ts'
import { checkValue, type Parameters, readParameters } from './request/parameters.ts'
import { readBody, type ServerRequest } from './request/server-request.ts'
import { Findings } from './rules/findings.ts'

const grantSchema = z.object({
  clientId: z.string(),
  ageKeyId: z.string(),
  /** The `state` of the Use request. */
  state: z.string(),
  /** Milliseconds since the UNIX epoch, by the sandbox clock. */
  expiresAt: z.number(),
})

/** The record of a code: its client, and the age key to upgrade. */
type Grant = Readonly<z.infer<typeof grantSchema>>

const codes = spendables({ name: 'code', schema: grantSchema })

const accessGrantSchema = grantSchema.extend({
  /** The code that was exchanged for the access token. */
  code: z.string(),
})

/** The record of an access token. */
export type AccessGrant = Readonly<z.infer<typeof accessGrantSchema>>

/** All access tokens, including expired and revoked ones. */
export const accessTokens = collection({ name: 'access_token', schema: accessGrantSchema })

/** Access tokens that have served their one upgrade, if the policy allows only one. */
const usedTokens = collection({ name: 'access_token.used', schema: z.literal(true) })

/** Whether the access token has served its one upgrade. */
export const isUsedUp = (token: string, provider: Provider): Awaitable<boolean> =>
  whenThere(usedTokens(provider).get(token), (used) => used !== undefined)

/** The changes that use up an access token. Only one of two concurrent callers can write them. */
export const usingUp = (
  token: string,
  grant: AccessGrant,
  provider: Provider,
): readonly RecordChange[] => [
  accessTokens(provider).taking(token),
  usedTokens(provider).putting(token, true, forgottenAt(grant)),
]

/** The record of a code, even if it is spent or expired. */
export type FoundCode = Found<Grant>

/** Finds the record of a code without changing it. */
export const findCode = (code: string, provider: Provider): Awaitable<FoundCode | undefined> =>
  codes(provider).find(code)

/**
 * Codes that were sent again. This is a separate record, because the first exchange may not have
 * stored its access token yet.
 */
const replayedCodes = collection({ name: 'code.replayed', schema: z.literal(true) })

/** Whether the code of the access token was sent again, which revokes the token. */
export const isReplayed = async ({ code }: AccessGrant, provider: Provider): Promise<boolean> =>
  (await replayedCodes(provider).get(code)) !== undefined

const codeSeconds = ({ policy, lifetimes }: Provider) => policy.codeSeconds ?? lifetimes.code

/**
 * Issues the code of a Use flow whose thresholds are all false. The code is bound to the client.
 */
export async function issueCode(
  issuedTo: Omit<Grant, 'expiresAt'>,
  provider: Provider,
): Promise<string> {
  const code = await inIssuedForm(
    provider.ids.random(IDENTIFIER_BYTES),
    provider.policy.codeForm,
    provider,
  )
  await codes(provider).put(code, {
    ...issuedTo,
    expiresAt: inSeconds(provider, codeSeconds(provider)),
  })
  return code
}

/**
 * E4: exchanges a code for an access token.
 * @param found the record of the code in the request
 * @returns the response (RFC 6749 section 5.1; `expires_in` in seconds) and the findings
 * @throws Refusal invalid_client (401), invalid_request (400, 415), invalid_grant,
 * unsupported_grant_type (400)
 */
export async function exchangeCode(
  request: ServerRequest,
  provider: Provider,
  found: FoundCode | undefined,
) {
  readBody(request, { ...FORM, profile: provider.profile })
  const findings = new Findings(provider.profile)
  const parameters = readParameters(request.formPairs, TOKEN_PARAMETERS, findings)
  const client = authenticate(request, parameters, { provider, findings })
  const right = 'authorization_code'
  checkValue('grant_type', parameters.grant_type, {
    right,
    rule: 'TOK-03',
    similar: [right],
    findings,
  })
  if (parameters.code === undefined) findings.missing('TOK-04', 'code')
  const { code } = parameters
  const grant =
    client && code ? await readCode(code, found, { client, provider, findings }) : undefined
  findings.throwIfRefused(
    findings.refusal?.error === 'invalid_client' ? { headers: BASIC_CHALLENGE } : {},
  )
  if (!grant) throw new Error('a token request without an error must have a code')

  const response = await issueAccessToken(grant, provider)
  if (response) return { response, findings: findings.all }
  // A concurrent call with the same code has spent it.
  await endTokenOf(grant.code, provider, findings)
  throw findings.toRefusal()
}

const FORM = {
  mediaType: 'application/x-www-form-urlencoded',
  wrongType: 'TOK-01',
  notUtf8: 'TOK-08',
} as const
const TOKEN_PARAMETERS = {
  known: ['grant_type', 'code', 'client_id', 'client_secret', 'client_assertion'],
  repeated: 'TOK-08',
  unknown: 'TOK-09',
} as const
type TokenParameters = Parameters<(typeof TOKEN_PARAMETERS.known)[number]>
const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="agekey-sandbox", charset="UTF-8"' }

/**
 * Authenticates the client by the Authorization header. A request uses one method (RFC 6749 section
 * 2.3). Decision: the form may repeat the `client_id` of the header, because a `client_id` alone
 * does not authenticate.
 */
function authenticate(
  request: ServerRequest,
  parameters: TokenParameters,
  { provider, findings }: { provider: Provider; findings: Findings },
): Client | undefined {
  const { authorization } = request
  const {
    client_id: clientId,
    client_secret: clientSecret,
    client_assertion: assertion,
  } = parameters
  const beside = assertionBeside({ authorization, clientSecret, assertion })
  if (beside !== undefined) {
    findings.add('TOK-10', { path: 'client_assertion', message: beside })
    return undefined
  }
  if (authorization && clientSecret !== undefined) {
    const message =
      'client_secret is in the form beside an Authorization header: a request authenticates by one of them'
    findings.add('TOK-10', { path: 'client_secret', message })
    return undefined
  }
  const client = authenticateByBasic(provider.clients, authorization)
  if (!client) {
    findings.add('TOK-02', unauthenticated(request, clientSecret, provider.clients))
  } else if (clientId !== undefined && clientId !== client.clientId) {
    const message = `client_id in the form is ${quote(clientId)}; the Authorization header authenticates ${client.clientId}`
    findings.add('TOK-10', { path: 'client_id', message })
    return undefined
  }
  const problem = client && authorization && base64Problem(authorization)
  if (problem) findings.add('TOK-11', { path: 'Authorization', message: problem })
  return findings.refusal?.error === 'invalid_client' ? undefined : client
}

function unauthenticated(
  request: ServerRequest,
  clientSecret: string | undefined,
  clients: Clients,
): { readonly path: string; readonly message: string } {
  const path = 'Authorization'
  if (request.authorization) return { path, message: basicProblem(request.authorization, clients) }
  if (clientSecret !== undefined) {
    return { path, message: `${NO_HEADER}; client_secret in the form does not count here` }
  }
  const usedHere = 'E4 takes HTTP Basic: Authorization: Basic base64(client_id:client_secret)'
  return assertionAlone(request, usedHere) ?? { path, message: NO_HEADER }
}

const NO_HEADER = 'the Authorization header is missing'

async function readCode(
  code: string,
  found: FoundCode | undefined,
  { client, provider, findings }: { client: Client; provider: Provider; findings: Findings },
): Promise<(Grant & { readonly code: string }) | undefined> {
  const record = found?.record
  if (!record || record.clientId !== client.clientId) {
    const message = record
      ? `the code was issued to another client than ${client.clientId}`
      : unknownCode(code, provider)
    findings.add('TOK-05', { path: 'code', message })
  } else if (found?.isSpent) await endTokenOf(code, provider, findings)
  else if (isExpired(record, provider)) {
    const message = `the code ${expiredText(record, codeSeconds(provider), provider)}`
    findings.add('TOK-06', { path: 'code', message })
  }
  return record && { ...record, code }
}

function unknownCode(code: string, { clients, policy }: Provider): string {
  const mistake = mistakenFor(code, clients)
  if (mistake !== '') return `no such code was issued${mistake}`
  const received = receivedInstead(code, {
    what: 'a code',
    bytes: IDENTIFIER_BYTES,
    form: policy.codeForm,
  })
  return `no such code was issued, or a reset or a restart has forgotten it: ${received}`
}

/**
 * Decision: when a client sends a code again, the access token of that code is revoked (RFC 6749
 * section 4.1.2).
 */
async function endTokenOf(code: string, provider: Provider, findings: Findings): Promise<void> {
  const expiresAt = inSeconds(provider, provider.lifetimes.accessToken)
  await replayedCodes(provider).put(code, true, forgottenAt({ expiresAt }))
  const message =
    'the code has already been exchanged; the access token that came of it has been ended'
  findings.add('TOK-07', { path: 'code', message })
}

/**
 * Spends the code and stores the access token in one write; `undefined` when the code is already
 * spent.
 */
async function issueAccessToken(
  { code, ...issued }: Grant & { readonly code: string },
  provider: Provider,
) {
  const id = ACCESS_TOKEN_PREFIX + provider.ids.random(ACCESS_TOKEN_BYTES)
  const token = await inIssuedForm(id, provider.policy.accessTokenForm, provider)
  const lifetime = provider.lifetimes.accessToken
  const { clientId, ageKeyId, state } = issued
  const grant = { clientId, ageKeyId, state, code, expiresAt: inSeconds(provider, lifetime) }
  const kept = accessTokens(provider).putting(token, grant, forgottenAt(grant))
  const spent = provider.policy.codeUse === 'single' ? codes(provider).spending(code, issued) : []
  if (!(await provider.store.write([...spent, kept]))) return undefined
  return { access_token: token, token_type: 'Bearer', expires_in: lifetime }
}
