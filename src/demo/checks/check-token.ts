import { compactVerify, importJWK, type JWK } from 'jose'
import { isJsonObject } from '../../age/json-object.ts'
import { decodeIdToken } from '../../http/html/id-token-table.ts'
import { parseJson, repeatedMembers } from '../../oidc/request/json.ts'
import { type CheckResult, check } from './check.ts'

/** A real id_token has about one kilobyte. */
const MAX_TOKEN_LENGTH = 8_192

const ALGORITHMS = ['RS256', 'ES256']

export interface CheckedToken {
  readonly checks: readonly CheckResult[]
  /** The payload; absent unless it can be read in exactly one way. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/**
 * Makes all checks of an id_token except those of its claims. A token that is too long or no compact JWS is not read further.
 * @param keys the key set; absent when it could not be used
 */
export async function checkToken(token: string, keys: readonly JWK[] | undefined): Promise<CheckedToken> {
  const form = [
    check('size', `at most ${MAX_TOKEN_LENGTH} characters`, {
      passed: token.length <= MAX_TOKEN_LENGTH,
      found: `${token.length} characters`,
    }),
    check('serialisation', 'three parts of base64url', {
      passed: /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token),
      found: `${token.split('.').length} parts`,
    }),
  ]
  if (form.some(({ passed }) => !passed)) return { checks: form.filter(({ passed }) => !passed).slice(0, 1) }
  const header = checkHeader(token, keys)
  const signature = keys && !header.some(({ name }) => name === 'crit') ? [await checkSignature(token, keys)] : []
  const { payload, claims } = readPayload(token)
  return { checks: [...form, ...header, ...signature, payload], ...(claims ? { claims } : {}) }
}

/** Beside another source of keys, the kid names a key from that source. */
function checkHeader(token: string, keys: readonly JWK[] | undefined): CheckResult[] {
  const { header } = decodeIdToken(token)
  const { alg, kid, crit, typ } = header
  const isOnlyKey = keys?.length === 1 && kid === undefined && keys[0]?.kid === undefined
  const sources = ['jwk', 'jku', 'x5u', 'x5c'].filter((name) => header[name] !== undefined)
  return [
    check('alg', ALGORITHMS.join(' or '), { passed: ALGORITHMS.some((one) => one === alg), found: alg }),
    ...(keys && sources.length === 0
      ? [
          check('kid', 'of a key of the key set', {
            passed: keys.some((key) => key.kid === kid && kid) || isOnlyKey,
            found: kid,
          }),
        ]
      : []),
    ...sources.map((name) => check('key_source', 'the key set only', { passed: false, found: name })),
    ...(crit === undefined ? [] : [check('crit', 'absent: no extension is known', { passed: false, found: crit })]),
    check('typ', 'JWT or absent', {
      passed: typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === 'JWT'),
      found: typ,
    }),
  ]
}

/** Verifies by the key that the kid names. A kid that names no key is its own fault, so the signature is tried with every key then. */
async function checkSignature(token: string, keys: readonly JWK[]): Promise<CheckResult> {
  const { alg, kid } = decodeIdToken(token).header
  const named = keys.filter((key) => key.kid === kid)
  const problems: string[] = []
  for (const key of named.length > 0 ? named : keys) {
    try {
      await compactVerify(token, await importJWK(key, String(alg)), { algorithms: ALGORITHMS })
      return check('signature', SIGNATURE, { passed: true, found: `${alg} by ${key.kid ?? 'a key without kid'}` })
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }
  return check('signature', SIGNATURE, { passed: false, found: problems[0] ?? 'the key set has no key' })
}

const SIGNATURE = 'by a key of the key set'

function readPayload(token: string): { payload: CheckResult; claims?: Readonly<Record<string, unknown>> } {
  const text = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')
  const json = parseJson(text)
  const rule = 'a JSON object whose members come once'
  if (!json.ok) return { payload: check('payload', rule, { passed: false, found: json.reason }) }
  if (!isJsonObject(json.value)) {
    return { payload: check('payload', rule, { passed: false, found: 'JSON, but no object' }) }
  }
  const [twice] = repeatedMembers(text)
  if (twice !== undefined) return { payload: check('payload', rule, { passed: false, found: `${twice} twice` }) }
  return { payload: check('payload', rule, { passed: true, found: 'a JSON object' }), claims: json.value }
}
