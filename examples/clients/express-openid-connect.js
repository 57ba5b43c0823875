// express-openid-connect.js
import express from 'express'
import openid from 'express-openid-connect'

export const app = express()
app.use(
  openid.auth({
    issuerBaseURL: 'http://localhost:2435/v1/oidc/use',
    baseURL: 'http://localhost:3000',
    clientID: 'ak_test_sandbox',
    secret: process.env.SESSION_SECRET, // of the cookie
    authRequired: false,
    authorizationParams: {
      response_type: 'id_token',
      response_mode: 'form_post',
      scope: 'openid', // without this line: openid profile email, which the service refuses
      claims: JSON.stringify({ age_thresholds: [18] }),
    },
  }),
)
app.get('/verify', openid.requiresAuth(), (request, response) => {
  response.json(request.oidc.idTokenClaims.age_thresholds)
})
