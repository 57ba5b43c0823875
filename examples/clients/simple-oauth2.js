// simple-oauth2.js
import { AuthorizationCode } from 'simple-oauth2'

const client = new AuthorizationCode({
  client: { id: 'ak_test_sandbox', secret: 'sk_test_sandbox' },
  auth: { tokenHost: 'http://localhost:2435', tokenPath: '/v1/oidc/use/token' },
})

export const exchange = async (code) => (await client.getToken({ code })).token.access_token
