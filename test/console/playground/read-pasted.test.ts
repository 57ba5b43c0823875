import { expect, test } from 'vitest'
import { formatClaims, readPasted } from '../../../src/console/playground/read-pasted.ts'
import { DEFAULT_DECISIONS } from '../../../src/oidc/decisions.ts'

const vocabulary = { platforms: ['apple'], provenanceAllowlist: [] }
const provider = { profile: 'spec' as const, vocabulary, decisions: DEFAULT_DECISIONS }
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

test('Pasted text stays as it was written when it is JSON, and becomes JSON when it is an address', () => {
  expect(readPasted(`  ${json}`, provider).text).toBe(`  ${json}`)
  expect(readPasted(address, provider).text).toBe(formatClaims(claims))
})

test.each([
  ['{"age_thresholds":[18]', 'USE-09', /claims must be JSON/],
  ['{"age_thresholds":["18"]}', 'CLM-03', /must be an integer from 0 to 150, is "18"/],
  ['http://localhost:2435/v1/oidc/use?scope=openid', 'USE-09', /claims is missing/],
  ['%7B%', 'USE-09', /claims must be JSON/],
])('Pasted text that cannot be read is kept, and refused by a rule: %s by %s', (text, rule, message) => {
  const pasted = readPasted(text, provider)
  expect(pasted).toMatchObject({ text, findings: [{ rule, message: expect.stringMatching(message) }] })
  expect(pasted.claims).toBeUndefined()
})

test('Formatted claims are the same claims, with each list of ages or names on one line', () => {
  const text = formatClaims(claims)
  expect([JSON.parse(text), text]).toEqual([claims, expect.stringContaining('"age_thresholds": [18]')])
  expect(text).toContain('"denied": ["/a", "/b/*"]')
})
