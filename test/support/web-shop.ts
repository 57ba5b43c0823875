/** A client of the config, as a developer declares it. */
export const WEB_SHOP = {
  clientId: 'web-shop',
  clientSecret: 'not-a-real-secret',
  redirectUris: ['http://localhost:3000/callback'],
}
