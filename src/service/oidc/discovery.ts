import { RESPONSE_MODES } from './callback.ts'
import { endpointUrl } from './endpoints.ts'
import { createIssuer, type Provider, useIssuer } from './provider.ts'
import { upgradeScope } from './rules/profile.ts'

/**
 * E6: the discovery document of the Use flow (OpenID Connect Discovery 1.0 section 3). It lists
 * only what the sandbox serves.
 * @param serverUrl the base URL for servers, if it differs from the base URL for browsers. The
 * token endpoint and the key set use it; issuer and authorization endpoint are the same for every
 * caller.
 */
export const useDiscovery = (provider: Provider, serverUrl: string = provider.baseUrl) => ({
  issuer: useIssuer(provider),
  authorization_endpoint: endpointUrl('use', provider),
  token_endpoint: endpointUrl('token', { baseUrl: serverUrl, brand: provider.brand }),
  jwks_uri: endpointUrl('jwks', { baseUrl: serverUrl, brand: provider.brand }),
  scopes_supported: ['openid', upgradeScope(provider.brand)],
  response_types_supported:
    provider.profile === 'agekey' ? ['id_token', 'code id_token'] : ['id_token'],
  response_modes_supported: RESPONSE_MODES,
  grant_types_supported: ['implicit', 'authorization_code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: signingAlgorithms(provider),
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

/**
 * E6: the discovery document of the Create flow, with the members of RFC 9126 and RFC 9396. It
 * lists only what the sandbox serves.
 * @param serverUrl see `useDiscovery`
 */
export const createDiscovery = (provider: Provider, serverUrl: string = provider.baseUrl) => ({
  issuer: createIssuer(provider),
  authorization_endpoint: endpointUrl('create', provider),
  pushed_authorization_request_endpoint: endpointUrl('par', {
    baseUrl: serverUrl,
    brand: provider.brand,
  }),
  require_pushed_authorization_requests: true,
  jwks_uri: endpointUrl('jwks', { baseUrl: serverUrl, brand: provider.brand }),
  scopes_supported: ['openid'],
  response_types_supported: ['none'],
  response_modes_supported: ['query'],
  grant_types_supported: ['implicit'],
  subject_types_supported: ['public'],
  // OpenID Connect Discovery requires this member, although the Create flow issues no id_token.
  id_token_signing_alg_values_supported: signingAlgorithms(provider),
  token_endpoint_auth_methods_supported: ['client_secret_post'],
  authorization_details_types_supported: ['age_verification'],
  request_parameter_supported: false,
})

/** Both algorithms, the signing algorithm first: the key set has a key for each. */
const signingAlgorithms = ({ signer, policy }: Provider) =>
  (policy.signingAlg ?? signer.alg) === 'ES256' ? ['ES256', 'RS256'] : ['RS256', 'ES256']
