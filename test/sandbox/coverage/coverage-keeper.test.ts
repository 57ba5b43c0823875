import { expect, test } from 'vitest'
import { MAX_CLAIMS } from '../../../src/sandbox/coverage/counters.ts'
import { createCoverageKeeper } from '../../../src/sandbox/coverage/coverage-keeper.ts'
import { ENDPOINTS } from '../../../src/service/oidc/endpoints.ts'

function transactionFor(threshold: number) {
  const claims = { age_thresholds: [threshold, 150] }
  const transaction = {
    ...({
      flow: 'use',
      clientId: 'web-shop',
      redirectUri: 'http://localhost:3000/callback',
    } as const),
    ...({
      mode: 'fragment',
      state: 's',
      nonce: 'n',
      claims,
      claimsText: JSON.stringify(claims),
    } as const),
    ...{ upgrade: false, canCreate: false },
    presentation: { appearance: {}, theme: 'light', learnMore: true, language: undefined } as const,
  }
  const reply = { status: 302, body: { kind: 'redirect' } }
  return { endpoint: ENDPOINTS.use, answer: { reply, asked: transaction } }
}

test(`The coverage of a process counts ${MAX_CLAIMS} distinct claims, and says how often others came`, () => {
  const coverage = createCoverageKeeper({ version: '1.0.0', root: 'default' }).of('default')
  for (let n = 0; n <= MAX_CLAIMS; n++) coverage.delivered(transactionFor(n))
  const { claims, omitted } = coverage.counters()
  expect(claims.length).toEqual(MAX_CLAIMS)
  expect(omitted).toEqual({ claims: 1 })
})

test('The name of a test at the base URL holds for the tenants that have none of their own', () => {
  const keeper = createCoverageKeeper({ version: '1.0.0', root: 'default' })
  keeper.of('default').name('of all')
  keeper.of('two').name('its own')
  for (const tenant of ['one', 'two']) keeper.of(tenant).delivered(transactionFor(18))
  expect(keeper.of('default').counters().asked['use']).toEqual({
    count: 2,
    tests: ['of all', 'its own'],
  })
})
