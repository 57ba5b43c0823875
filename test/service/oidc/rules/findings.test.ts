import { expect, test } from 'vitest'
import { decodePairs, readParameters } from '../../../../src/service/oidc/request/parameters.ts'
import { findingSchema, leadingFinding } from '../../../../src/service/oidc/rules/finding.ts'
import { Findings } from '../../../../src/service/oidc/rules/findings.ts'
import { ruleRow } from '../../../../src/service/oidc/rules/rules.ts'

const RULES = {
  known: ['redirect_uri', 'state', 'scope'],
  repeated: 'USE-10',
  unknown: 'USE-11',
} as const

const findingsOf = (query = '') => {
  const findings = new Findings('spec')
  readParameters(decodePairs(query), RULES, findings)
  return findings
}

test.each([
  [
    'redirect_url=x',
    'redirect_uri is missing; redirect_url was received: did you mean redirect_uri?',
  ],
  [
    'redirect%20uri=x',
    'redirect_uri is missing; "redirect uri" was received: did you mean redirect_uri?',
  ],
  ['redirect_uri=', 'redirect_uri is missing: it was received without a value'],
  [' {"redirect_uri":"x"}', 'redirect_uri is missing: JSON was received instead of a form'],
  ['["redirect_uri"]', 'redirect_uri is missing: JSON was received instead of a form'],
  ['state=x', 'redirect_uri is missing'],
])('A missing parameter is reported with what was received instead: %s', (query, message) => {
  const findings = findingsOf(query)
  findings.missing('USE-02', 'redirect_uri')
  const { hint } = ruleRow('USE-02')
  const finding = { rule: 'USE-02', level: 'error', path: 'redirect_uri', message, hint }
  expect(findingSchema.parse(leadingFinding(findings.all))).toEqual(finding)
})

test('JSON instead of a form is reported once, without its text', () => {
  const message =
    'JSON was received instead of a form, and ignored; send name=value pairs joined by &, percent-encoded'
  expect(findingsOf('{"client_secret":"x"}&b=c').all).toMatchObject([
    { rule: 'USE-11', path: '', message },
  ])
})

test('A missing parameter of which something was found already is not reported again', () => {
  const findings = findingsOf('state=a&state=b')
  findings.missing('USE-07', 'state')
  expect(findings.all.map(({ rule }) => rule)).toEqual(['USE-10'])
  expect(findings.mentions('nonce', 'state')).toBe(true)
  expect(findings.mentions('nonce')).toBe(false)
})

test('The description of an error begins with a failed authentication', () => {
  for (const [rule, error] of [
    ['PAR-02', 'invalid_client'] as const,
    ['UPG-03', 'invalid_token'] as const,
  ]) {
    const findings = findingsOf()
    findings.missing('PAR-08', 'redirect_uri')
    findings.add(rule, { path: 'x', message: 'x is wrong' })
    const description = `${rule}: x is wrong (and 1 more: PAR-08)`
    expect(findings.refusal).toEqual({ error, description, hint: ruleRow(rule).hint })
    expect(leadingFinding(findings.all)?.rule).toBe(rule)
  }
})

const NEAR_MISS = { path: 'response_mode', message: 'is "form-post". Did you mean "form_post"?' }

test('The description of an error begins with client_id or redirect_uri, then a near miss', () => {
  for (const path of ['client_id', 'redirect_uri']) {
    const findings = findingsOf()
    findings.add('USE-06', NEAR_MISS)
    findings.add('USE-02', { path, message: 'is not registered' })
    expect(findings.refusal?.description).toBe('USE-02: is not registered (and 1 more: USE-06)')
  }
  const findings = findingsOf()
  findings.missing('USE-07', 'state')
  findings.missing('USE-08', 'nonce')
  findings.add('USE-06', NEAR_MISS)
  expect(findings.all.map(({ rule }) => rule)).toEqual(['USE-06', 'USE-07', 'USE-08'])
})

test('The description of an error names every broken rule once, the first one in full', () => {
  const findings = findingsOf()
  findings.add('USE-01', {
    path: 'client_id',
    message: 'client_id is not registered. Registered: a.',
  })
  expect(findings.refusal?.description).toBe('USE-01: client_id is not registered. Registered: a.')
  findings.addIssues('claims', [
    { rule: 'CLM-03', path: ['age_thresholds', 0], message: 'is 1.5' },
    { rule: 'CLM-03', path: ['age_thresholds', 1], message: 'is 2.5' },
    { rule: 'CLM-02', path: [], message: 'is []' },
  ])
  const description =
    'USE-01: client_id is not registered. Registered: a (and 3 more: CLM-03, CLM-02)'
  expect(findings.refusal?.description).toBe(description)
  const paths = 'client_id claims.age_thresholds[0] claims.age_thresholds[1] claims'
  expect(findings.all.map(({ path }) => path).join(' ')).toBe(paths)
})

test('The description of an error names eight other rules at most', () => {
  const findings = findingsOf()
  for (let rule = 1; rule <= 10; rule++)
    findings.addIssues('claims', [
      { rule: `CLM-${String(rule + 6).padStart(2, '0')}`, path: [], message: 'x' },
    ])
  expect(findings.refusal?.description).toMatch(
    /^CLM-07: x \(and 9 more: (?:CLM-\d\d, ){7}CLM-15\)$/,
  )
})

test('A request has 100 findings, with a place for one error behind any advice', () => {
  const issues = (rule: string, count: number) =>
    Array(count).fill({ rule, path: [], message: 'x' })
  const findings = findingsOf()
  findings.addIssues('claims', issues('CLM-03', 99))
  expect(findings.refusal?.description).toBe('CLM-03: x (and 98 more: CLM-03)')
  findings.addIssues('claims', issues('CLM-03', 50))
  expect(findings.refusal?.description).toBe('CLM-03: x (and at least 99 more: CLM-03)')
  expect(findings.all).toHaveLength(100)
  const advised = findingsOf()
  const errors = [...issues('CLM-03', 1), ...issues('CLM-05', 1), ...issues('CLM-01', 1)]
  advised.addIssues('claims', [...issues('CLM-05', 120), ...errors])
  expect(advised.all.map(({ rule }) => rule)).toEqual(['CLM-03', ...Array(100).fill('CLM-05')])
})

test('Advice is the leading finding only where no rule refuses the request', () => {
  const findings = findingsOf('prompt=login')
  expect(leadingFinding(findings.all)?.rule).toBe('USE-11')
  expect(findings.refusal).toBeUndefined()
  findings.throwIfRefused()
  findings.missing('USE-07', 'state')
  expect(findings.all.map(({ rule }) => rule)).toEqual(['USE-07', 'USE-11'])
  expect(() => findings.throwIfRefused()).toThrow('USE-07: state is missing')
  expect(leadingFinding(findings.all.toReversed())?.rule).toBe('USE-07')
  expect(leadingFinding([])).toBeUndefined()
})

test('A refusal without a finding is an error of the server', () => {
  const message = 'refused without a finding'
  expect(findingsOf().toRefusal()).toMatchObject({
    code: 'server_error',
    status: 500,
    message,
    findings: [],
  })
})
