import { expect, test } from 'vitest'
import { createDiscovery, useDiscovery } from '../../../src/service/oidc/discovery.ts'
import { ENDPOINTS } from '../../../src/service/oidc/endpoints.ts'
import { DEFAULT_POLICY } from '../../../src/service/oidc/policy.ts'
import { unknownReference } from '../../../src/service/oidc/request/request-object.ts'
import { otherBrand } from '../../../src/service/oidc/request/scope.ts'
import { BRAND, describeBrand, PROFILES } from '../../../src/service/oidc/rules/profile.ts'
import { createProvider } from '../../support/provider.ts'

const BASE = 'https://sandbox.example'
const SERVER = 'http://sandbox:4000'

test.each(PROFILES)('Discovery of Use lists in profile %s what is served', (profile) => {
  expect(useDiscovery(createProvider({ profile }), SERVER)).toEqual({
    issuer: `${BASE}/v1/oidc/use`,
    authorization_endpoint: `${BASE}/v1/oidc/use`,
    token_endpoint: `${SERVER}/v1/oidc/use/token`,
    jwks_uri: `${SERVER}/.well-known/jwks.json`,
    scopes_supported: ['openid', `${BRAND[profile]}.upgrade`],
    response_types_supported: profile === 'spec' ? ['id_token'] : ['id_token', 'code id_token'],
    response_modes_supported: ['fragment', 'query', 'form_post'],
    grant_types_supported: ['implicit', 'authorization_code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    claims_supported: [
      'sub',
      'iss',
      'aud',
      'iat',
      'exp',
      'nonce',
      'age_thresholds',
      'req_claims_hash',
      'c_hash',
    ],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  })
})

test('Discovery of Create lists what is served', () => {
  expect(createDiscovery(createProvider(), SERVER)).toEqual({
    issuer: `${BASE}/v1/oidc/create`,
    authorization_endpoint: `${BASE}/v1/oidc/create`,
    pushed_authorization_request_endpoint: `${SERVER}/v1/oidc/create/par`,
    require_pushed_authorization_requests: true,
    jwks_uri: `${SERVER}/.well-known/jwks.json`,
    scopes_supported: ['openid'],
    response_types_supported: ['none'],
    response_modes_supported: ['query'],
    grant_types_supported: ['implicit'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    authorization_details_types_supported: ['age_verification'],
    request_parameter_supported: false,
  })
})

test("Discovery names the browser's address when servers have no other", () => {
  const provider = createProvider({ policy: { ...DEFAULT_POLICY, signingAlg: 'ES256' } })
  const jwks_uri = `${BASE}/.well-known/jwks.json`
  const signing = { jwks_uri, id_token_signing_alg_values_supported: ['ES256', 'RS256'] }
  expect(useDiscovery(provider)).toMatchObject({
    ...signing,
    token_endpoint: `${BASE}/v1/oidc/use/token`,
  })
  expect(createDiscovery(provider)).toMatchObject(signing)
})

test('The endpoints are eight rows that state address, method, caller, flow', () => {
  const facts = Object.entries(ENDPOINTS).map(([id, endpoint]) => {
    const { number, method, path, caller, flow, correlation } = {
      flow: '-',
      correlation: '-',
      ...endpoint,
    }
    return [number, id, method, path, caller, flow, correlation].join(' ')
  })
  expect(facts).toEqual([
    'E1 use get /v1/oidc/use browser use -',
    'E2 par post /v1/oidc/create/par server create -',
    'E3 create get /v1/oidc/create browser create request_uri',
    'E4 token post /v1/oidc/use/token server upgrade code',
    'E5 upgrade post /v1/{brand}/upgrade server upgrade access_token',
    'E6 useDiscovery get /v1/oidc/use/.well-known/openid-configuration any - -',
    'E6 createDiscovery get /v1/oidc/create/.well-known/openid-configuration any - -',
    'E6 jwks get /.well-known/jwks.json any - -',
  ])
})

test.each([
  ['svc', 'spec', 'svc', 'profile spec'],
  ['agekey', 'spec', 'svc', 'profile agekey'],
  ['agekey', 'spec', 'agekey', 'brand word agekey'],
  ['svc', 'spec', 'agekey', 'brand word svc'],
  ['agekey', 'agekey', 'agekey', 'profile agekey'],
] as const)(
  'The word %s is described in profile %s with the word %s as %s',
  (word, profile, brand, description) => {
    expect(describeBrand(word, { profile, brand })).toBe(description)
  },
)

const START =
  'profile agekey, and this sandbox runs with profile spec: start it with --profile agekey'
const READ =
  'brand word svc, and this sandbox runs with brand word agekey: set the reading brand_word=svc'

test.each([
  ['openid agekey.upgrade', 'svc', `. agekey.upgrade is the upgrade scope of ${START}`],
  ['openid svc.upgrade', 'agekey', `. svc.upgrade is the upgrade scope of ${READ}`],
  ['openid svc.upgrade', 'svc', ''],
  ['openid', 'svc', ''],
] as const)(
  'The scope "%s" has in profile spec with the word %s the hint "%s"',
  (scope, brand, hint) => {
    expect(otherBrand(scope, { profile: 'spec', brand })).toBe(hint)
  },
)

test.each([
  ['x', ' and does not'],
  ['urn:svc:request:x', ', begins with urn:svc:request:, which is that of brand word svc'],
])('A request_uri %s is told that a reading replaces the brand word', (requestUri, problem) => {
  const message = `must begin with urn:agekey:request: (brand word agekey)${problem}`
  expect(unknownReference(requestUri, { ...createProvider(), brand: 'agekey' })).toBe(message)
})
