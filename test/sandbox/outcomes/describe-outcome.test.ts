import { describe, expect, it } from 'vitest'
import { findRow } from '../../../src/sandbox/outcomes/catalogue.ts'
import { describeOutcome } from '../../../src/sandbox/outcomes/describe-outcome.ts'

const described = (id: string) => describeOutcome(findRow(id) ?? expect.fail(`there is no row ${id}`))

describe('a row of the catalogue, for programs,', () => {
  it('has every column', () => {
    expect(described('use/id_token.nonce_of_earlier_flow')).toEqual({
      name: 'id_token.nonce_of_earlier_flow',
      flow: 'use',
      seam: 'claims',
      summary: 'The nonce is that of the last flow of this client.',
      rule: 'nonce equals the one that was sent in this session; each serves once.',
      correct_client: 'refuse',
      family: 'nonce',
      level: 'must',
      severity: 8.1,
      cwe: ['CWE-294'],
      refs: ['specification, "Authentication" rules 2 and 3', 'OpenID Connect Core 1.0 section 3.2.2.11'],
      harm: expect.any(String),
      bait: 'adult',
      layer: 'oidc',
      breaks: ['nonce'],
      twin: 'use/verified',
      since: '0.1',
      needs: ['earlier_flow', 'age_key'],
      prelude: 'earlier_flow',
    })
  })

  it('has no needs and no prelude when there are none', () => {
    expect(Object.keys(described('use/access_denied'))).not.toEqual(expect.arrayContaining(['needs']))
    expect(Object.keys(described('use/access_denied'))).not.toEqual(expect.arrayContaining(['prelude']))
  })
})
