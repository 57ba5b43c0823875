import { describe, expect, test } from 'vitest'
import { MAX_CLAIMS } from '../../../src/sandbox/coverage/counters.ts'
import { createCoverageKeeper } from '../../../src/sandbox/coverage/coverage-keeper.ts'

const transactionFor = (threshold: number, n = 0) => {
  const claims = { age_thresholds: [threshold, 150 - n] }
  return {
    transaction: {
      flow: 'use' as const,
      clientId: 'web-shop',
      redirectUri: 'http://localhost:3000/callback',
      mode: 'fragment' as const,
      state: 's',
      nonce: 'n',
      claims,
      claimsText: JSON.stringify(claims),
      upgrade: false,
      canCreate: false,
      presentation: { appearance: {}, theme: 'light' as const, learnMore: true, language: undefined },
    },
  }
}

describe('The coverage that a process keeps', () => {
  test(`counts ${MAX_CLAIMS} distinct claims, and says how often others came`, () => {
    const coverage = createCoverageKeeper({ version: '1.0.0', root: 'default' }).of('default')
    for (let n = 0; n <= MAX_CLAIMS; n++) coverage.asked(transactionFor(n))
    const { claims, omitted } = coverage.counters()
    expect(claims).toHaveLength(MAX_CLAIMS)
    expect(omitted).toEqual({ claims: 1 })
  })

  test('adds the counts of a tenant that is gone to those of the root tenant', () => {
    const keeper = createCoverageKeeper({ version: '1.0.0', root: 'default' })
    keeper.of('one').asked(transactionFor(18))
    keeper.forget('one')
    expect(keeper.of('one').counters().asked).toEqual({})
    expect(keeper.of('default').counters().asked['use']).toEqual({ count: 1 })
  })
})
