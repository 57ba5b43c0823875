import { expect, test } from 'vitest'
import { BRAND, PROFILES } from '../../../src/oidc/profile.ts'
import { pushRequest } from '../../../src/oidc/pushed-request.ts'
import { Refusal } from '../../../src/oidc/refusal.ts'
import { ERROR_STATUS } from '../../../src/oidc/rules/error-codes.ts'
import type { Finding } from '../../../src/oidc/rules/finding.ts'
import { levelOf, RULES, ruleRow } from '../../../src/oidc/rules/rules.ts'
import { exchangeCode } from '../../../src/oidc/token.ts'
import { upgradeAgeKey } from '../../../src/oidc/upgrade.ts'
import { beginUse } from '../../../src/oidc/use.ts'
import { CLAIMS_CASES, SIGNAL_CASES, SIGNAL_CONTEXT, signalOf } from '../../age/cases.ts'
import { createProvider } from '../../support/provider.ts'
import { pushedRequest, REDIRECT_URI, tokenRequest, useRequest } from '../../support/requests.ts'
import { createService, formRequest, jsonRequest, received, refusalOf } from '../../support/service.ts'
import { type Answer, RULE_CASES } from './rule-cases.ts'

/** What a caller is told: the findings, and how the request is refused. */
interface Told {
  readonly findings: readonly Finding[]
  readonly refusal?: unknown
}

async function askFor(send: () => Answer | Promise<Answer>): Promise<Told> {
  try {
    const answer = await send()
    if (!('kind' in answer) || answer.kind === 'proceed') return { findings: answer.findings }
    const { params, ...callback } = received(answer.callback)
    return { findings: answer.findings, refusal: { ...callback, ...params } }
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    const { findings, status, code: error, message, headers } = refusal
    return { findings, refusal: { status, error, error_description: message, headers } }
  }
}

const inProfiles = PROFILES.flatMap((profile) =>
  RULE_CASES.filter(({ only = profile }) => only === profile).map(
    (one) => [profile, one.endpoint, one.breaks, one.rule, one] as const,
  ),
)

test.each(inProfiles)('In profile %s %s with %s breaks %s', async (profile, endpoint, _breaks, rule, one) => {
  const row = ruleRow(rule)
  const level = levelOf(row, profile)
  const message = one.message.replaceAll('svc', BRAND[profile]).replaceAll('profile spec', `profile ${profile}`)
  const { findings, refusal } = await askFor(() => one.send(createService(createProvider({ profile }))))
  const { path = message.split(/[ :]/, 1)[0], beside = [], error = row.error } = one
  expect(findings).toEqual([
    { rule, level, path, message: wholeOrBeginning(message), hint: row.hint },
    ...beside.map((other) => expect.objectContaining({ rule: other })),
  ])
  const error_description = expect.stringContaining(`${rule}: ${printable(message)}`)
  const byRedirect = {
    mode: endpoint === 'E1' ? 'fragment' : 'query',
    address: REDIRECT_URI,
    error,
    error_description,
    state: 'state-1',
    ...one.callback,
  }
  const byStatus = {
    status: one.page ? 400 : ERROR_STATUS[error],
    error,
    error_description,
    headers: one.headers ?? {},
  }
  const expected = one.page || !['E1', 'E3'].includes(endpoint) ? byStatus : byRedirect
  expect(refusal).toEqual(level === 'advice' ? undefined : expected)
  expect(JSON.stringify([findings, refusal])).not.toContain('sk_test_sandbox')
})

const wholeOrBeginning = (message: string) =>
  message.endsWith('…') ? expect.stringContaining(message.slice(0, -1)) : message

/** The beginning of a message in the characters of an `error_description`. */
const printable = (message: string) =>
  message.replace(/…$/, '').replaceAll('…', '...').replaceAll(/["\\]/g, "'").replace(/\.$/, '').slice(0, 300)

/** An issue of the age rooms: `CLM-03 age_thresholds/1: claims.age_thresholds[1] must be an integer from 0 to 150, is 151`. */
const parseIssue = (root: string, text: string) => {
  const [, rule = '', path = '', message = ''] = /^(\S+) ([^:]*): (.*)$/s.exec(text) ?? []
  const steps = path.split('/').map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
  return { rule, path: path === '' ? root : `${root}${steps.join('')}`, message }
}

/** The first case of each rule that breaks no other, but for recommendations. */
const firstOf = <Case extends { readonly issues: readonly string[] }>(cases: readonly Case[]) => {
  const byRule = new Map<string, Case>()
  for (const one of cases) {
    const [rule, ...others] = new Set(one.issues.map((text) => text.slice(0, 6)))
    if (rule !== undefined && others.every((other) => ['SIG-10', 'SIG-13'].includes(other)) && !byRule.has(rule)) {
      byRule.set(rule, one)
    }
  }
  return PROFILES.flatMap((profile) => [...byRule].map(([rule, one]) => [profile, rule, one] as const))
}

const findingsFor = (profile: (typeof PROFILES)[number], root: string, issues: readonly string[]) =>
  issues.map((text) => {
    const issue = parseIssue(root, text)
    const row = ruleRow(issue.rule)
    return { ...issue, level: levelOf(row, profile), hint: row.hint }
  })

test.each(firstOf(CLAIMS_CASES))(
  'In profile %s E1 with claims breaks %s',
  async (profile, rule, { claims, issues }) => {
    const query = Object.entries(useRequest({ claims: JSON.stringify(claims) }))
    const provider = createProvider({ profile, vocabulary: SIGNAL_CONTEXT })
    const { findings, refusal } = await askFor(() => beginUse(query, provider))
    const expected = findingsFor(profile, 'claims', issues)
    expect(findings).toEqual(expected)
    const description = expect.stringContaining(`${rule}: ${printable(expected[0]?.message ?? '')}`)
    const refused = { error: ruleRow(rule).error, error_description: description, state: 'state-1' }
    const isRefused = expected.some(({ level }) => level === 'error')
    expect(refusal).toEqual(isRefused ? { mode: 'fragment', address: REDIRECT_URI, ...refused } : undefined)
  },
)

test.each(firstOf(SIGNAL_CASES))('In profile %s E2 with an age signal breaks %s', async (profile, rule, one) => {
  const service = createService(createProvider({ profile, vocabulary: SIGNAL_CONTEXT }))
  service.provider.clock.advance((SIGNAL_CONTEXT.now - service.provider.clock.now()) / 1000)
  const authorization_details = JSON.stringify([signalOf(one)])
  const { findings, refusal } = await askFor(() => service.push({ authorization_details }))
  const expected = findingsFor(
    profile,
    'authorization_details',
    one.issues.map((text) => text.replace(' ', ' 0/')),
  )
  expect(findings).toEqual(expected)
  const isRefused = expected.some(({ level }) => level === 'error')
  const error_description = expect.stringContaining(`${rule}: `)
  const refused = { status: 400, error: ruleRow(rule).error, error_description, headers: {} }
  expect(refusal).toEqual(isRefused ? refused : undefined)
})

const FORM = 'application/x-www-form-urlencoded'
/** The server-to-server calls, by the rule on their media type. */
const CALLS = {
  'PAR-01': { mediaType: FORM, call: pushRequest, request: formRequest(pushedRequest()) },
  'TOK-01': { mediaType: FORM, call: exchangeCode, request: formRequest(tokenRequest('x')) },
  'UPG-01': { mediaType: 'application/json', call: upgradeAgeKey, request: jsonRequest({}, undefined) },
} as const

const refusedTypes = (['PAR-01', 'TOK-01', 'UPG-01'] as const).flatMap((rule) => {
  const { mediaType } = CALLS[rule]
  const other = mediaType === FORM ? 'application/json' : FORM
  return [undefined, '', other, 'text/plain', `${mediaType}x`, 'Multipart/Form-Data; boundary=x'].map(
    (contentType) => [contentType, rule, mediaType] as const,
  )
})

test.each(refusedTypes)('The content type %j is refused by %s with 415', async (contentType, rule, mediaType) => {
  const { call, request } = CALLS[rule]
  const { status, code, message, findings } = await refusalOf(() => call({ ...request, contentType }, createProvider()))
  const received = contentType ? `not "${contentType.split(';', 1)[0]?.toLowerCase()}"` : 'but it is missing'
  const problem = `Content-Type must be ${mediaType}, ${received}`
  expect({ status, code, message: message.replaceAll("'", '"') }).toEqual({
    ...{ status: 415, code: 'invalid_request', message: `${rule}: ${problem}` },
  })
  const { hint } = ruleRow(rule)
  expect(findings).toEqual([{ rule, level: 'error', path: 'Content-Type', message: problem, hint }])
})

test.each(['PAR-01', 'TOK-01', 'UPG-01'] as const)(
  'Parameters and capitals of a media type do not break %s',
  async (rule) => {
    const { call, request, mediaType } = CALLS[rule]
    const contentType = ` ${mediaType.toUpperCase()} ; charset=utf-8`
    const { findings } = await askFor(() => call({ ...request, contentType }, createProvider()))
    expect(findings.map((one) => one.rule)).not.toContain(rule)
  },
)

test.each([
  ['PAR-01', 'PAR-11'],
  ['TOK-01', 'TOK-08'],
  ['UPG-01', 'UPG-05'],
] as const)('The call of %s refuses a body that is not UTF-8 by %s', async (call, rule) => {
  const request = { ...CALLS[call].request, body: Buffer.from([0x61, 0xff]) }
  const { status, code, findings } = await refusalOf(() => CALLS[call].call(request, createProvider()))
  expect({ status, code }).toEqual({ status: 400, code: 'invalid_request' })
  expect(findings).toMatchObject([{ rule, path: '', message: 'the body is not UTF-8' }])
})

/** Rules of the pages of E1 and E3: `test/rules/rules.test.ts`. */
const BY_A_PAGE = ['USE-19', 'USE-20', 'USE-21', 'USE-22']

test('Every rule has a request that breaks it', () => {
  const issues = [...CLAIMS_CASES, ...SIGNAL_CASES].flatMap((one) => one.issues.map((text) => text.slice(0, 6)))
  const broken = new Set([...RULE_CASES.map(({ rule }) => rule), ...issues, ...Object.keys(CALLS), ...BY_A_PAGE])
  expect(RULES.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([])
})
