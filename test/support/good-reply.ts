import type { ServerReply } from '../../src/sandbox/outcomes/outcome.ts'
import type { CallName } from '../../src/service/oidc/endpoints.ts'

/** A good reply to a server-to-server call. */
export function goodReply(flow: CallName, baseUrl: string, keys: readonly object[]): ServerReply {
  const issuer = `${baseUrl}/v1/oidc/use`
  const bodies: Readonly<Record<string, unknown>> = {
    par: { request_uri: 'urn:svc:request:1', expires_in: 90 },
    token: { access_token: 'at_test_1', token_type: 'Bearer', expires_in: 10_800 },
    upgrade: 'OK',
    discovery: {
      issuer,
      authorization_endpoint: issuer,
      jwks_uri: `${baseUrl}/.well-known/jwks.json`,
      id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    },
    jwks: { keys },
  }
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  return {
    status: flow === 'par' ? 201 : 200,
    headers,
    body: { kind: 'json', value: bodies[flow] },
  }
}
