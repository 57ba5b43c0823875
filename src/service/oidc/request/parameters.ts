import { didYouMean, excerpt, foundInstead, listed, quote } from '../../text/message-parts.ts'
import { Refusal } from '../refusal.ts'
import type { Findings } from '../rules/findings.ts'
import type { RuleId } from '../rules/rules.ts'
import { echoProblem } from './echoed.ts'
import { looksLikeJson } from './json.ts'
import { objectOf, spreadProblem } from './spread-object.ts'

/** The parameters of one request. `undefined`: the parameter is absent or has no value. */
export type Parameters<Name extends string> = Readonly<Record<Name, string | undefined>>

/**
 * The decoded names and values in the order of the request. The value is `undefined` when the name
 * or the value is not UTF-8.
 */
export type Pairs = readonly (readonly [name: string, value: string | undefined])[]

interface ParameterRules<Name extends string> {
  /** All parameters that the endpoint uses. */
  readonly known: readonly Name[]
  /** The rule that a repeated or malformed parameter breaks. */
  readonly repeated: RuleId
  /**
   * The rule that a parameter breaks by its length; absent if the endpoint returns no parameter.
   */
  readonly tooLong?: RuleId
  /** The rule that an unknown parameter breaks. */
  readonly unknown: RuleId
}

/**
 * Reads the parameters of a query string or a form body. A parameter without a value counts as
 * omitted (RFC 6749 section 3.1). A parameter that is repeated, malformed or too long is reported
 * and has no value in the result.
 */
export function readParameters<Name extends string>(
  pairs: Pairs,
  rules: ParameterRules<Name>,
  findings: Findings,
): Parameters<Name> {
  const values = new Map<string, string>()
  const rejected = new Set<string>()
  // When JSON is parsed as a form, the name of the first parameter is the JSON text with all its
  // secrets.
  const isJson = looksLikeJson(pairs[0]?.[0] ?? '')
  if (isJson) {
    findings.noteJsonBody()
    findings.add(rules.unknown, { path: '', message: NOT_A_FORM })
  } else {
    readPairs(pairs, { rules, findings, values, rejected })
  }
  const parameters: Partial<Record<Name, string | undefined>> = {}
  for (const name of rules.known)
    parameters[name] = rejected.has(name) ? undefined : values.get(name) || undefined
  return parameters as Parameters<Name>
}

/** The state of reading the parameters of one request. */
interface ReadState {
  readonly rules: ParameterRules<string>
  readonly findings: Findings
  readonly values: Map<string, string>
  /** Names of parameters that a finding rejects. */
  readonly rejected: Set<string>
}

function readPairs(pairs: Pairs, state: ReadState): void {
  const { rules, findings, values, rejected } = state
  const isAbsent = (parameter: string) =>
    rules.known.includes(parameter) && !pairs.some(([name]) => name === parameter)
  const parts: Parts = new Map()
  for (const [name, value] of pairs) {
    if (rejected.has(name)) continue
    if (value === undefined || value.includes('\0') || name.includes('\0')) {
      rejected.add(name)
      findings.add(rules.repeated, { path: name, message: malformed(name, value) })
      continue
    }
    const object = rules.known.includes(name) ? undefined : objectOf(name, isAbsent)
    if (object === undefined) readValue(name, value, state)
    else parts.set(object, [...(parts.get(object) ?? []), name])
  }
  if (parts.size === 0) return
  const has = (object: string) => Boolean(values.get(object))
  reportParts(parts, { ...rules, has, became: 'parameters' }, findings)
}

function readValue(
  name: string,
  value: string,
  { rules, findings, values, rejected }: ReadState,
): void {
  const { known } = rules
  const earlier = values.get(name)
  if (earlier !== undefined) {
    rejected.add(name)
    const message = `${excerpt(name)} is sent more than once${received(name, { known, values: [earlier, value] })}`
    findings.add(rules.repeated, { path: name, message })
    return
  }
  values.set(name, value)
  if (value === '') findings.noteEmpty(name)
  if (!known.includes(name)) {
    findings.add(rules.unknown, { path: name, message: ignoredParameter(name, known) })
    return
  }
  // A text of 1,000 UTF-16 code units has at most 3,000 bytes of UTF-8.
  if (rules.tooLong === undefined || value.length <= 1_000 || UNLIMITED.includes(name)) return
  const problem = echoProblem(value)
  if (problem === undefined) return
  rejected.add(name)
  findings.add(rules.tooLong, { path: name, message: `${name} ${problem}` })
}

/**
 * Maps a JSON parameter to the names of the parameters or members that a library made of its
 * object.
 */
export type Parts = Map<string, readonly string[]>

/**
 * Reports one finding for each object that a library took apart, however many parameters it became.
 * If the JSON parameter is missing, the finding of the missing parameter explains the cause;
 * otherwise the finding is advice. Repeated names break the rule about repeated parameters.
 * @param sent.has whether the request also has the JSON parameter itself
 * @param sent.became what the members of the object became
 */
export function reportParts(
  parts: Parts,
  sent: {
    readonly known: readonly string[]
    readonly has: (object: string) => boolean
    readonly became: 'parameters' | 'members'
    readonly repeated: RuleId
    readonly unknown: RuleId
  },
  findings: Findings,
): void {
  const { known, has, became } = sent
  const remedy =
    became === 'parameters' ? 'send JSON.stringify(it) as one parameter' : 'send it as one member'
  for (const [object, names] of parts) {
    const problem = spreadProblem(names, became)
    const isRepeated = new Set(names).size < names.length
    const rule = isRepeated ? sent.repeated : sent.unknown
    const path = names[0] ?? object
    if (!known.includes(object))
      findings.add(rule, { path, message: `${problem}; ${ignoredParameter(object, known)}` })
    else if (has(object))
      findings.add(rule, {
        path,
        message: `${problem}; ${object} itself was received: remove the others`,
      })
    else findings.noteSpread(object, `${problem}; ${remedy}`)
  }
}

function malformed(name: string, value: string | undefined): string {
  const fault = value === undefined ? 'bytes that are not UTF-8' : 'a NUL character'
  return `${excerpt(name)} is not well-formed: it has ${fault}; percent-encode it as UTF-8, without NUL characters`
}

/**
 * Checks a parameter that has exactly one valid value.
 * @param expected.missing the rule of an absent value (default `expected.rule`)
 * @param expected.similar values that the received value may misspell
 */
export function checkValue(
  name: string,
  value: string | undefined,
  expected: {
    right: string
    rule: RuleId
    missing?: RuleId
    similar?: readonly string[]
    findings: Findings
  },
): void {
  const { right, rule, missing = rule, similar, findings } = expected
  if (value === undefined) findings.missing(missing, name)
  else if (value !== right) {
    findings.add(rule, {
      path: name,
      message: `${name} must be ${right}${foundInstead(value, similar)}`,
    })
  }
}

/** The values of a repeated parameter; empty for parameters that may hold a secret. */
function received(
  name: string,
  { known, values }: { known: readonly string[]; values: readonly string[] },
): string {
  const isShown = known.includes(name) && !SECRET_PARAMETERS.has(name)
  return isShown
    ? `: ${values.map((value) => (value === '' ? 'no value' : quote(value))).join(' and ')}`
    : ''
}

const SECRET_PARAMETERS: ReadonlySet<string> = new Set([
  'client_secret',
  'client_assertion',
  'code',
  'request_uri',
  'request',
])

/** Parameters without a maximum length, because the service never returns them. */
const UNLIMITED: readonly string[] = [
  'claims',
  'authorization_details',
  'request',
  'client_assertion',
]

const NOT_A_FORM =
  'JSON was received instead of a form, and ignored; send name=value pairs joined by &, percent-encoded'

// Decision: a request has at most 200 parameters, which bounds the cost of reading it.
const MAX_PARAMETERS = 200

/**
 * Checks the number of parameters.
 * @throws Refusal 400 for more than 200 parameters
 */
export function refuseManyParameters(count: number): void {
  if (count <= MAX_PARAMETERS) return
  const message = `parameters: ${count} were sent, and at most ${MAX_PARAMETERS} are read; send only those that the call knows, each once`
  throw Refusal.invalidRequest(message, { title: 'Too many parameters' })
}

/**
 * Decodes `application/x-www-form-urlencoded` text.
 * @throws Refusal 400 for too many parameters, before decoding
 * @example
 * ```ts
 * decodePairs('scope=openid&state=a+b') // [['scope', 'openid'], ['state', 'a b']]
 * ```
 */
export function decodePairs(encoded: string): Pairs {
  const sent = encoded.split('&').filter(Boolean)
  refuseManyParameters(sent.length)
  const pairs: [name: string, value: string | undefined][] = []
  for (const pair of sent) {
    const equals = pair.indexOf('=')
    const sentName = equals < 0 ? pair : pair.slice(0, equals)
    const name = decode(sentName)
    if (name === undefined) pairs.push([sentName, undefined])
    else pairs.push([name, equals < 0 ? '' : decode(pair.slice(equals + 1))])
  }
  return pairs
}

function decode(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/**
 * Copies a part of a string. In V8 a substring keeps the whole string in memory: a tenant or flow
 * would keep the whole request.
 */
export const copyOf = (part: string): string => Buffer.from(part).toString()

/**
 * Parameters of OAuth 2.0 and OpenID Connect, by the document that defines them. Each endpoint uses
 * a few of these parameters.
 */
const STANDARD_PARAMETERS: readonly (readonly [standard: string, names: string])[] = [
  [
    'RFC 6749',
    'client_id code grant_type password redirect_uri refresh_token response_type scope state username',
  ],
  ['RFC 6750', 'access_token'],
  ['RFC 7521', 'assertion client_assertion client_assertion_type'],
  ['RFC 7636, PKCE', 'code_challenge code_challenge_method code_verifier'],
  ['RFC 8693', 'audience'],
  ['RFC 8707', 'resource'],
  ['RFC 9101', 'request request_uri'],
  ['RFC 9396', 'authorization_details'],
  ['RFC 9449, DPoP', 'dpop_jkt'],
  ['OAuth 2.0 Multiple Response Types', 'response_mode'],
  [
    'OpenID Connect Core',
    'acr_values claims claims_locales display id_token_hint login_hint max_age nonce prompt registration ui_locales',
  ],
]

/**
 * The message for a parameter that the endpoint ignores. A standard parameter is not treated as a
 * spelling mistake.
 */
export function ignoredParameter(name: string, known: readonly string[]): string {
  if (name === 'client_secret')
    return 'client_secret is for E2 and E4 and must never reach a browser: it was ignored. The secret is burnt, since browsers and logs keep addresses: replace it'
  const [standard] = STANDARD_PARAMETERS.find(([, names]) => names.split(' ').includes(name)) ?? []
  return standard === undefined
    ? `${excerpt(name)} is not known and was ignored.${didYouMean(name, known) || ` Known: ${listed(known)}.`}`
    : `${name} is a standard parameter (${standard}) that this endpoint does not use: it was ignored`
}
