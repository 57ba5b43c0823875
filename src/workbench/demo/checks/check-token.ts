import { compactVerify, importJWK, type JWK } from 'jose'
import { messageOf } from '../../../sandbox/files/caught.ts'
import { decodeIdToken } from '../../../server/http/html/id-token-table.ts'
import { isJsonObject } from '../../../service/age/json-object.ts'
import { parseJson, repeatedMembers } from '../../../service/oidc/request/json.ts'
import { applying, type CheckResult, check } from './check.ts'

/** The check results of an id_token. */
export interface CheckedToken {
  readonly checks: readonly CheckResult[]
  /** The payload, if it can be read in exactly one way. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Maximum length. A real id_token has about one kilobyte. */
const MAX_TOKEN_LENGTH = 8_192

const ALGORITHMS = ['RS256', 'ES256']

/**
 * Checks an id_token except its claims. A token that is too long or not a compact JWS is not read
 * further.
 * @param keys the key set; absent when it could not be used
 */
export async function checkToken(
  token: string,
  keys: readonly JWK[] | undefined,
): Promise<CheckedToken> {
  const size = check('size', {
    passed: token.length <= MAX_TOKEN_LENGTH,
    found: `${token.length} characters`,
    expected: `at most ${MAX_TOKEN_LENGTH}`,
  })
  if (!size.passed) return { checks: [size] }
  const serialisation = check('serialisation', {
    passed: /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token),
    found: `${token.split('.').length} parts`,
  })
  if (!serialisation.passed) return { checks: [serialisation] }
  const checks = [size, serialisation, ...checkHeader(token, keys)]
  if (keys && !checks.some(({ name }) => name === 'crit')) {
    checks.push(await checkSignature(token, keys))
  }
  const { payload, claims } = readPayload(token)
  checks.push(payload)
  return claims ? { checks, claims } : { checks }
}

function checkHeader(token: string, keys: readonly JWK[] | undefined): CheckResult[] {
  const { header } = decodeIdToken(token)
  const { alg, crit, typ } = header
  const sources = ['jwk', 'jku', 'x5u', 'x5c'].filter((name) => header[name] !== undefined)
  const isJwt = typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === 'JWT')
  return applying([
    check('alg', {
      passed: ALGORITHMS.some((known) => known === alg),
      found: alg,
      expected: ALGORITHMS.join(' or '),
    }),
    // With another key source in the header, the kid may name a key of that source.
    keys !== undefined && sources.length === 0 && checkKeyId(header['kid'], keys),
    ...sources.map((name) => check('key_source', { passed: false, found: name })),
    crit !== undefined && check('crit', { passed: false, found: crit }),
    check('typ', { passed: isJwt, found: typ }),
  ])
}

/** Checks the kid. It may be absent only if the set has a single key without a kid. */
function checkKeyId(kid: unknown, keys: readonly JWK[]): CheckResult {
  const isNamed = kid !== undefined && kid !== '' && keys.some((key) => key.kid === kid)
  const [only, ...others] = keys
  const isOnlyKey = kid === undefined && others.length === 0 && only?.kid === undefined
  return check('kid', { passed: isNamed || isOnlyKey, found: kid })
}

/**
 * Verifies the signature with the key that the kid names. A wrong kid is another check, so then
 * every key is tried.
 */
async function checkSignature(token: string, keys: readonly JWK[]): Promise<CheckResult> {
  const { alg, kid } = decodeIdToken(token).header
  const named = keys.filter((key) => key.kid === kid)
  const problems: string[] = []
  for (const key of named.length > 0 ? named : keys) {
    try {
      await compactVerify(token, await importJWK(key, String(alg)), { algorithms: ALGORITHMS })
      return check('signature', {
        passed: true,
        found: `${alg} by ${key.kid ?? 'a key without kid'}`,
      })
    } catch (error) {
      problems.push(messageOf(error))
    }
  }
  return check('signature', { passed: false, found: problems[0] ?? 'the key set has no key' })
}

function readPayload(token: string): Pick<CheckedToken, 'claims'> & { payload: CheckResult } {
  const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
  const json = parseJson(text)
  const refused = (found: string) => ({ payload: check('payload', { passed: false, found }) })
  if (!json.ok) return refused(json.reason)
  if (!isJsonObject(json.value)) return refused('JSON, but no object')
  const [twice] = repeatedMembers(text)
  if (twice !== undefined) return refused(`${twice} twice`)
  return {
    payload: check('payload', { passed: true, found: 'a JSON object' }),
    claims: json.value,
  }
}
