// oauth2-client.js
import { OAuth2Client } from '@badgateway/oauth2-client'

const client = new OAuth2Client({
  clientId: 'ak_test_sandbox',
  clientSecret: 'sk_test_sandbox',
  tokenEndpoint: 'http://localhost:2435/v1/oidc/use/token',
  authenticationMethod: 'client_secret_basic',
})

export async function exchange(code) {
  const redirectUri = 'http://localhost:3000/callback' // the library asks for it, the service does not
  return (await client.authorizationCode.getToken({ code, redirectUri })).accessToken
}
