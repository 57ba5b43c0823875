import { isJsonObject } from '../age/json-object.ts'
import type { AgeSignal } from '../age/signal.ts'
import { foundInsteadOfJson } from '../text/message-parts.ts'
import { expiredText, isExpired } from './collection.ts'
import { ACCESS_TOKEN_BYTES, ACCESS_TOKEN_PREFIX } from './policy.ts'
import type { Provider } from './provider.ts'
import { readAgeSignals } from './request/age-signals.ts'
import { bearerToken } from './request/client-auth.ts'
import { mistakenFor, receivedInstead, schemeProblem } from './request/client-mistakes.ts'
import { parseJson, repeatedMembers } from './request/json.ts'
import { jsonMistake } from './request/json-mistakes.ts'
import {
  ignoredParameter,
  type Parts,
  refuseManyParameters,
  reportParts,
} from './request/parameters.ts'
import { readBody, type ServerRequest } from './request/server-request.ts'
import { objectOf } from './request/spread-object.ts'
import type { Finding } from './rules/finding.ts'
import { Findings } from './rules/findings.ts'
import { type AccessGrant, isReplayed, isUsedUp, usingUp } from './token.ts'

/**
 * E5: adds age signals to the age key that the access token names. The response is the JSON string
 * `OK`.
 * @param grant the record of the access token in the request
 * @throws Refusal invalid_token (401), invalid_request (400, 415), invalid_authorization_details
 * (400)
 */
export async function upgradeAgeKey(
  request: ServerRequest,
  provider: Provider,
  grant: AccessGrant | undefined,
): Promise<{ response: 'OK'; findings: readonly Finding[] }> {
  const body = readBody(request, { ...JSON_BODY, profile: provider.profile })
  const findings = new Findings(provider.profile)
  const access = await readAccessToken(request.authorization, grant, { provider, findings })
  const signals = readUpgrade(body, provider, findings)
  findings.throwIfRefused(access ? {} : { headers: bearerChallenge(request.authorization) })
  if (!access || !signals)
    throw new Error('an upgrade without an error must have a token and signals')

  const broken = await addSignals(signals, access, provider)
  if (broken === undefined) return { response: 'OK', findings: findings.all }
  findings.add(broken, {
    path: 'Authorization',
    message: broken === 'UPG-03' ? USED_UP : NO_AGE_KEY,
  })
  throw findings.toRefusal({ headers: bearerChallenge(request.authorization) })
}

/**
 * Adds the signals in one write, and uses up the access token if it serves only one upgrade.
 * @returns the rule that prevents the upgrade; `undefined` for success
 */
async function addSignals(
  signals: readonly AgeSignal[],
  access: UsableToken,
  provider: Provider,
): Promise<'UPG-03' | 'UPG-04' | undefined> {
  const { policy } = provider
  const used = policy.accessTokenUse === 'single' ? usingUp(access.token, access, provider) : []
  for (;;) {
    const added = await provider.ageKeys.adding(access.ageKeyId, signals, {
      keeps: policy.upgradeEffect === 'adds',
    })
    if (!added) return 'UPG-04'
    if (await provider.store.write([...used, ...added])) return undefined
    // A concurrent call has used up the token or changed the age key: read again.
    if (used.length > 0 && (await isUsedUp(access.token, provider))) return 'UPG-03'
  }
}

const JSON_BODY = { mediaType: 'application/json', wrongType: 'UPG-01', notUtf8: 'UPG-05' } as const

const USED_UP = 'the access token has served its one upgrade'
const NO_AGE_KEY = 'the age key that the access token names no longer exists'

type UsableToken = AccessGrant & { readonly token: string }

/** The challenge of RFC 6750 section 3. For a request without credentials it has no `error`. */
const bearerChallenge = (authorization: string | undefined) => ({
  'WWW-Authenticate': `Bearer realm="agekey-sandbox"${authorization === undefined ? '' : ', error="invalid_token"'}`,
})

async function readAccessToken(
  authorization: string | undefined,
  record: AccessGrant | undefined,
  { provider, findings }: { provider: Provider; findings: Findings },
): Promise<UsableToken | undefined> {
  const path = 'Authorization'
  const token = bearerToken(authorization)
  if (token === undefined) {
    findings.add('UPG-02', { path, message: bearerProblem(authorization) })
    return undefined
  }
  if (!record && (await isUsedUp(token, provider)))
    findings.add('UPG-03', { path, message: USED_UP })
  else if (!record) {
    const kind = { what: 'an access token', bytes: ACCESS_TOKEN_BYTES, prefix: ACCESS_TOKEN_PREFIX }
    const received = receivedInstead(token, { ...kind, form: provider.policy.accessTokenForm })
    const message = `the access token was not issued here${mistakenFor(token, provider.clients) || `: ${received}`}`
    findings.add('UPG-03', { path, message })
  } else if (isExpired(record, provider)) {
    const message = `the access token ${expiredText(record, provider.lifetimes.accessToken, provider)}`
    findings.add('UPG-03', { path, message })
  } else if (await isReplayed(record, provider)) {
    findings.add('UPG-08', {
      path,
      message: 'the access token was ended, because its code was exchanged again',
    })
  } else return { ...record, token }
  return undefined
}

function bearerProblem(authorization: string | undefined): string {
  if (authorization === undefined) return 'the Authorization header is missing'
  return (
    schemeProblem(authorization, 'Bearer') ??
    'Authorization is Bearer without a token, or with blanks, quotes or other characters that no token has'
  )
}

function readUpgrade(
  text: string,
  provider: Provider,
  findings: Findings,
): AgeSignal[] | undefined {
  const json = parseJson(text)
  if (!json.ok || !isJsonObject(json.value)) {
    const reason = json.ok
      ? `the body must be a JSON object with authorization_details${foundInsteadOfJson(json.value)}`
      : `the body must be JSON: ${json.reason}`
    findings.add('UPG-05', { path: '', message: reason })
    return undefined
  }
  const names = Object.keys(json.value)
  refuseManyParameters(names.length)
  const isSent = Object.hasOwn(json.value, 'authorization_details')
  reportUnknownMembers(names, isSent, findings)
  const details: unknown = isSent ? Reflect.get(json.value, 'authorization_details') : undefined
  const repeated = repeatedMembers(text).filter((path) =>
    /^authorization_details(?:\[|$)/.test(path),
  )
  findings.addRepeated('SIG-22', repeated)
  if (details === undefined) findings.missing('UPG-05', 'authorization_details')
  else if (typeof details === 'string') return readStringified(details, provider, findings)
  else return readAgeSignals(details, provider, findings)
  return undefined
}

const MEMBERS: readonly string[] = ['authorization_details']

/**
 * Reports each unknown member as UPG-07, or one finding for all members of an object that a library
 * took apart.
 */
function reportUnknownMembers(names: readonly string[], isSent: boolean, findings: Findings): void {
  const parts: Parts = new Map()
  for (const name of names) {
    if (MEMBERS.includes(name)) continue
    const object = objectOf(name, (parameter) => !isSent && MEMBERS.includes(parameter))
    if (object === undefined)
      findings.add('UPG-07', { path: name, message: ignoredParameter(name, MEMBERS) })
    else parts.set(object, [...(parts.get(object) ?? []), name])
  }
  // JSON.parse leaves no repeated names.
  const rules = { unknown: 'UPG-07', repeated: 'UPG-07' } as const
  reportParts(parts, { ...rules, known: MEMBERS, has: () => isSent, became: 'members' }, findings)
}

/**
 * Reads a JSON array that was sent as a JSON string: an error, or advice if the profile tolerates
 * it.
 */
function readStringified(
  text: string,
  provider: Provider,
  findings: Findings,
): AgeSignal[] | undefined {
  const path = 'authorization_details'
  const json = parseJson(text)
  const mistake = json.ok ? undefined : jsonMistake(text)
  const cause = mistake === undefined ? '' : ` (${mistake})`
  const message = `authorization_details must be a JSON array${foundInsteadOfJson(text)}${cause}`
  findings.add('UPG-06', { path, message })
  return json.ok
    ? readAgeSignals(json.value, provider, findings)
    : readAgeSignals(text, provider, findings)
}
