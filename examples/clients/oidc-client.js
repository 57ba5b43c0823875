// oidc-client.js
const manager = new Oidc.UserManager({
  authority: 'http://localhost:2435/v1/oidc/use',
  client_id: 'ak_test_sandbox',
  redirect_uri: 'http://localhost:3000/app',
  response_type: 'id_token',
  scope: 'openid',
  loadUserInfo: false,
  extraQueryParams: { claims: JSON.stringify({ age_thresholds: [18] }) },
})

const begin = () => manager.signinRedirect()
const end = async () => (await manager.signinRedirectCallback()).profile.age_thresholds // at the redirect_uri
