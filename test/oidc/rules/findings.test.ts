import { describe, expect, test } from 'vitest'
import { decodePairs, readParameters } from '../../../src/oidc/request/parameters.ts'
import { leadingFinding } from '../../../src/oidc/rules/finding.ts'
import { Findings } from '../../../src/oidc/rules/findings.ts'

const RULES = { known: ['redirect_uri', 'state', 'scope'], repeated: 'USE-10', unknown: 'USE-11' } as const

const findingsOf = (query: string) => {
  const findings = new Findings('spec')
  readParameters(decodePairs(query), RULES, findings)
  return findings
}

describe('A missing parameter is reported with what was received instead:', () => {
  test.each([
    [
      'a misspelt name',
      'redirect_url=x',
      'redirect_uri is missing; redirect_url was received: did you mean redirect_uri?',
    ],
    ['no value', 'redirect_uri=', 'redirect_uri is missing: it was received without a value'],
    ['JSON', '{"redirect_uri":"x"}', 'redirect_uri is missing: JSON was received instead of a form'],
    ['nothing like it', 'state=x', 'redirect_uri is missing'],
  ])('%s', (_what, query, message) => {
    const findings = findingsOf(query)
    findings.missing('USE-02', 'redirect_uri')
    expect(leadingFinding(findings.all)?.message).toBe(message)
  })
})

describe('The description begins with the finding that explains the others:', () => {
  test('a failed authentication before everything else', () => {
    const findings = findingsOf('')
    findings.missing('PAR-08', 'redirect_uri')
    findings.add('PAR-02', { path: 'client_secret', message: 'client_secret is wrong' })
    expect(findings.refusal).toMatchObject({
      error: 'invalid_client',
      description: 'PAR-02: client_secret is wrong (and 1 more: PAR-08)',
    })
    expect(leadingFinding(findings.all)?.rule).toBe('PAR-02')
  })

  test('an address that cannot be answered before the values that came with it', () => {
    const findings = findingsOf('redirect_url=x')
    findings.add('USE-03', { path: 'scope', message: 'scope must be openid, is "email"' })
    findings.missing('USE-02', 'redirect_uri')
    expect(findings.refusal?.description).toMatch(/^USE-02: redirect_uri is missing; redirect_url was received/)
  })

  test('a near miss before what only differs, and the others in the order of the checks', () => {
    const findings = findingsOf('')
    findings.missing('USE-07', 'state')
    findings.missing('USE-08', 'nonce')
    findings.add('USE-06', { path: 'response_mode', message: 'is "form-post". Did you mean "form_post"?' })
    expect(findings.all.map(({ rule }) => rule)).toEqual(['USE-06', 'USE-07', 'USE-08'])
  })
})

test('Advice leads only where no rule refuses the request', () => {
  const findings = findingsOf('prompt=login')
  expect(leadingFinding(findings.all)?.rule).toBe('USE-11')
  findings.missing('USE-07', 'state')
  expect(findings.all.map(({ rule }) => rule)).toEqual(['USE-07', 'USE-11'])
  expect(leadingFinding([])).toBeUndefined()
})
