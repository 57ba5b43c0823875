import * as z from 'zod'
import { collection } from './collection.ts'
import { ACCESS_TOKEN_BYTES, IDENTIFIER_BYTES } from './decisions.ts'
import type { Client } from './ports.ts'
import { inSeconds, type Provider } from './provider.ts'
import { authenticateByBasic } from './request/client-auth.ts'
import { decodePairs, readParameters } from './request/parameters.ts'
import { readBody, type ServerRequest } from './request/server-request.ts'
import type { Finding } from './rules/finding.ts'
import { Findings } from './rules/findings.ts'
import { forgottenAt, isExpired, spendables } from './spendable.ts'

const grantSchema = z.object({
  clientId: z.string(),
  ageKeyId: z.string(),
  /** Milliseconds of the clock. */
  expiresAt: z.number(),
})

/** What a code or an access token stands for: it names the age key to upgrade. */
export type Grant = Readonly<z.infer<typeof grantSchema>>

const codes = ({ store }: Provider) => spendables(store, { name: 'code', schema: grantSchema })

/** All access tokens, also the expired ones. */
export const accessTokens = ({ store }: Pick<Provider, 'store'>) =>
  collection(store, { name: 'access_token', schema: grantSchema })

/** The token response of the specification (RFC 6749 section 5.1); `expires_in` in seconds. */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
}

/** Issues the code of a Use flow whose thresholds were all false: single use, bound to the client. */
export async function issueCode(
  { clientId, ageKeyId }: { clientId: string; ageKeyId: string },
  provider: Provider,
): Promise<string> {
  const code = provider.ids.random(IDENTIFIER_BYTES)
  await codes(provider).put(code, { clientId, ageKeyId, expiresAt: inSeconds(provider, provider.lifetimes.code) })
  return code
}

/**
 * E4: exchanges a code for an access token.
 * @throws Refusal invalid_client (401), invalid_request (400, 415), invalid_grant, unsupported_grant_type (400).
 */
export async function exchangeCode(
  request: ServerRequest,
  provider: Provider,
): Promise<{ response: TokenResponse; findings: readonly Finding[] }> {
  const body = readBody(request, { ...FORM, profile: provider.profile })
  const findings = new Findings(provider.profile)
  const client = authenticateByBasic(provider.clients, request.authorization)
  if (!client) findings.add('TOK-02', { path: 'Authorization', message: unauthenticated(request.authorization) })
  const parameters = readParameters(decodePairs(body), TOKEN_PARAMETERS, findings)
  checkGrantType(parameters.grant_type, findings)
  if (parameters.code === undefined) findings.missing('TOK-04', 'code')
  const record = client && parameters.code ? await findCode(parameters.code, { client, provider, findings }) : undefined
  findings.throwIfRefused(
    client ? {} : { headers: { 'WWW-Authenticate': 'Basic realm="agekey-sandbox", charset="UTF-8"' } },
  )
  if (!record || !parameters.code) throw new Error('a token request without an error must have a code')

  // Two callers may come this far with one code: only one of them gets to spend it.
  if (!(await codes(provider).spend(parameters.code))) {
    findings.add('TOK-07', ALREADY_EXCHANGED)
    throw findings.toRefusal()
  }
  return { response: await issueAccessToken(record, provider), findings: findings.all }
}

const FORM = { mediaType: 'application/x-www-form-urlencoded', wrongType: 'TOK-01', notUtf8: 'TOK-08' } as const
const TOKEN_PARAMETERS = { known: ['grant_type', 'code'], repeated: 'TOK-08', unknown: 'TOK-09' } as const
const ALREADY_EXCHANGED = { path: 'code', message: 'the code has already been exchanged' }

const unauthenticated = (authorization: string | undefined) =>
  authorization === undefined
    ? 'the Authorization header is missing'
    : 'Authorization is not Basic with the credentials of a registered client'

function checkGrantType(grantType: string | undefined, findings: Findings): void {
  if (grantType === undefined) findings.missing('TOK-03', 'grant_type')
  else if (grantType !== 'authorization_code') {
    findings.add('TOK-03', { path: 'grant_type', message: 'grant_type must be authorization_code' })
  }
}

async function findCode(
  code: string,
  { client, provider, findings }: { client: Client; provider: Provider; findings: Findings },
): Promise<Grant | undefined> {
  const record = await codes(provider).find(code)
  if (!record || record.clientId !== client.clientId) {
    // The same words for both: a client learns nothing of another one's codes.
    findings.add('TOK-05', { path: 'code', message: 'the code was not issued to this client' })
  } else if (!(await codes(provider).isUnspent(code))) findings.add('TOK-07', ALREADY_EXCHANGED)
  else if (isExpired(record, provider)) findings.add('TOK-06', { path: 'code', message: 'the code has expired' })
  return record
}

async function issueAccessToken({ clientId, ageKeyId }: Grant, provider: Provider): Promise<TokenResponse> {
  const token = provider.ids.random(ACCESS_TOKEN_BYTES)
  const lifetime = provider.lifetimes.accessToken
  const expiresAt = inSeconds(provider, lifetime)
  await accessTokens(provider).put(token, { clientId, ageKeyId, expiresAt }, forgottenAt({ expiresAt }))
  return { access_token: token, token_type: 'Bearer', expires_in: lifetime }
}
