import { expect, test } from 'vitest'
import type { Claims } from '../../../../src/service/age/claims.ts'
import { DEFAULT_POLICY } from '../../../../src/service/oidc/policy.ts'
import {
  changesOf,
  formatClaims,
  readPasted,
} from '../../../../src/workbench/console/playground/claims.ts'

const vocabulary = { platforms: ['apple'], provenanceAllowlist: [] }
const provider = { profile: 'spec' as const, vocabulary, policy: DEFAULT_POLICY }
const claims = { age_thresholds: [18], provenance: { denied: ['/a', '/b/*'] } }
const json = JSON.stringify(claims)
const address = `http://localhost:2435/v1/oidc/use?scope=openid&claims=${encodeURIComponent(json)}&state=x#top`

test.each([
  ['JSON', json],
  ['the address of a Use request', address],
  ['the query of a Use request', new URLSearchParams({ nonce: 'n', claims: json }).toString()],
  ['a query with its question mark', `?claims=${encodeURIComponent(json)}`],
  ['percent-encoded JSON', encodeURIComponent(json)],
])('The claims are read from pasted text that is %s', (_, text) => {
  expect(readPasted(text, provider)).toMatchObject({ claims, findings: [] })
})

test('Pasted JSON stays as it was written', () => {
  expect(readPasted(`  ${json}`, provider).text).toBe(`  ${json}`)
})

test('A pasted address becomes the JSON of its claims', () => {
  expect(readPasted(address, provider).text).toBe(formatClaims(claims))
})

test.each([
  ['{"age_thresholds":[18]', 'USE-09', /claims must be JSON/],
  ['{"age_thresholds":["18"]}', 'CLM-03', /must be an integer from 0 to 150, is "18"/],
  ['http://localhost:2435/v1/oidc/use?scope=openid', 'USE-09', /claims is missing/],
  [
    'http://localhost:2435/v1/oidc/use?scope=openid&claims[a][]=1&claims[a][]=2',
    'USE-09',
    /became many parameters/,
  ],
  [
    'claims%5Bage_thresholds%5D%5B%5D=18',
    'USE-09',
    /claims\[age_thresholds\]\[\] was received: an object became/,
  ],
  ["'{}'", 'USE-09', /quotation marks stand around it/],
  ['%7B%', 'USE-09', /claims must be JSON/],
])('Pasted text that cannot be read is refused by a rule: %s by %s', (text, rule, message) => {
  const pasted = readPasted(text, provider)
  expect(pasted).toMatchObject({
    text,
    findings: [{ rule, message: expect.stringMatching(message) }],
  })
  expect(pasted.claims).toBeUndefined()
})

test('Formatted claims are the same claims, with each list of ages or names on one line', () => {
  const text = formatClaims(claims)
  expect(JSON.parse(text)).toEqual(claims)
  expect(text).toContain('"age_thresholds": [18]')
  expect(text).toContain('"denied": ["/a", "/b/*"]')
})

const NOW = Date.parse('2026-03-01T00:00:00Z')
const changed = (claims: Claims) =>
  new Map(changesOf(claims, NOW).map(({ label, claims: after }) => [label, after]))

test('The changes of claims leave each filter out alone', () => {
  const claims: Claims = {
    age_thresholds: [18],
    verified_after: '2025-01-01',
    provenance: { allowed: ['/a'], denied: ['/b'] },
    overrides: { id_doc_scan: { min_age: 20, iso_27566_1: 'strict' } },
  }
  const { verified_after: _, ...rest } = claims
  const all = changed(claims)
  expect(all.get('without verified_after')).toEqual(rest)
  expect(all.get('without provenance.denied')).toEqual({
    ...claims,
    provenance: { allowed: ['/a'] },
  })
  const overrides = { id_doc_scan: { iso_27566_1: 'strict' } }
  expect(all.get('without min_age of overrides.id_doc_scan')).toEqual({ ...claims, overrides })
  expect(all.get('without overrides.id_doc_scan')).not.toHaveProperty('overrides')
})

test('The changes of claims add the usual filters that are not there yet', () => {
  const all = changed({ age_thresholds: [18] })
  expect(all.get('with verified_after 2025-03-01')).toEqual({
    age_thresholds: [18],
    verified_after: '2025-03-01',
  })
  const withAge = all.get('with min_age 25 of overrides.facial_age_estimation')
  expect(withAge?.overrides).toEqual({ facial_age_estimation: { min_age: 25 } })
  expect([...all.keys()].filter((label) => label.startsWith('without'))).toEqual([])
})

test('A change is never offered when the claims would be refused then', () => {
  // A facial estimate has to keep one of min_age and age_thresholds.
  const overrides: Claims['overrides'] = {
    facial_age_estimation: { min_age: 25, iso_27566_1: 'basic' },
  }
  const all = changed({ age_thresholds: [18], overrides })
  expect([...all.keys()]).not.toContain('without min_age of overrides.facial_age_estimation')
  expect([...all.keys()]).toContain('without iso_27566_1 of overrides.facial_age_estimation')
})
