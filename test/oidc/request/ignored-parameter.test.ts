import { describe, expect, test } from 'vitest'
import { beginCreate } from '../../../src/oidc/create.ts'
import { pushRequest } from '../../../src/oidc/pushed-request.ts'
import { ignoredParameter } from '../../../src/oidc/request/ignored-parameter.ts'
import { beginUse } from '../../../src/oidc/use.ts'
import { createProvider } from '../../support/provider.ts'
import { createRequest, pushedRequest, useRequest } from '../../support/requests.ts'
import { createService, formRequest } from '../../support/service.ts'

const USED = ['scope', 'nonce', 'claims']
const STANDARD = [
  ...['acr_values', 'audience', 'client_assertion', 'code_challenge', 'code_challenge_method', 'code_verifier'],
  ...['display', 'dpop_jkt', 'id_token_hint', 'login_hint', 'max_age', 'prompt', 'resource', 'ui_locales'],
]

describe('ignoredParameter', () => {
  test.each(STANDARD)('names %s as a standard parameter and no spelling mistake', (name) => {
    expect(ignoredParameter(name, [...USED, 'code', 'request_uri', 'response_type'])).toMatch(
      new RegExp(`^${name} is a standard parameter \\(.+\\) that this endpoint does not use: it was ignored$`),
    )
  })

  test.each([
    ['nonse', 'nonse is not known and was ignored. Did you mean "nonce"?'],
    ['claim', 'claim is not known and was ignored. Did you mean "claims"?'],
    ['colour', 'colour is not known and was ignored. Known: scope, nonce, claims.'],
    ['constructor', 'constructor is not known and was ignored. Known: scope, nonce, claims.'],
    ['a\nb', '"a\\nb" is not known and was ignored. Known: scope, nonce, claims.'],
    ['x'.repeat(5_000), `"${'x'.repeat(60)}…" is not known and was ignored. Known: scope, nonce, claims.`],
  ])('says of the unknown parameter %s what was meant, when a known one is near', (name, message) => {
    expect(ignoredParameter(name, USED)).toBe(message)
  })
})

test('A client_secret that is sent through the browser is advised about at E1 and E3', async () => {
  const service = createService()
  const leaked = { client_secret: 'sk_test_sandbox' }
  const query = Object.entries(createRequest(await service.obtainRequestUri(), leaked))
  const message = expect.stringContaining('must never reach a browser')
  expect(beginUse(Object.entries(useRequest(leaked)), service.provider)).toMatchObject({
    kind: 'proceed',
    findings: [{ rule: 'USE-11', path: 'client_secret', message }],
  })
  expect(await beginCreate(query, service.provider)).toMatchObject({
    kind: 'proceed',
    findings: [{ rule: 'CRE-12', path: 'client_secret', message }],
  })
})

describe('A parameter that the endpoint does not use is advised about and changes nothing', () => {
  const advice = (rule: string, name: string) => [
    {
      rule,
      level: 'advice',
      path: name,
      message: expect.stringContaining('is a standard parameter'),
      hint: expect.any(String),
    },
  ]

  test.each(STANDARD)('at E1: %s', (name) => {
    const beginning = beginUse(Object.entries(useRequest({ [name]: 'x' })), createProvider())
    expect(beginning).toMatchObject({ kind: 'proceed', findings: advice('USE-11', name) })
  })

  test.each([...STANDARD, 'nonce', 'claims', 'response_mode', 'code'])('at E2: %s', async (name) => {
    const request = formRequest(pushedRequest({ [name]: 'x' }))
    expect((await pushRequest(request, createProvider())).findings).toEqual(advice('PAR-12', name))
  })

  test.each([...STANDARD, 'nonce', 'claims', 'response_mode', 'state'])('at E3: %s', async (name) => {
    const service = createService()
    const query = createRequest(await service.obtainRequestUri({ state: 'pushed' }), { [name]: 'x' })
    expect(await beginCreate(Object.entries(query), service.provider)).toMatchObject({
      kind: 'proceed',
      transaction: { state: 'pushed' },
      findings: advice('CRE-12', name),
    })
  })

  test.each([...STANDARD, 'redirect_uri', 'scope', 'state'])('at E4: %s', async (name) => {
    const service = createService()
    const { findings } = await service.exchange(await service.obtainCode(), { [name]: 'x' })
    expect(findings).toEqual(advice('TOK-09', name))
  })
})
