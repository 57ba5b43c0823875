import express from 'express'
import { generateKeyPair, SignJWT } from 'jose'
import { serve } from './serve.js'

/**
 * The least that answers as E1 does for a scripted persona: read the claims, sign the token,
 * redirect.
 */
const { privateKey } = await generateKeyPair('RS256')
const app = express()
app.get('/v1/oidc/use', async (request, response) => {
  const { client_id, redirect_uri, state, nonce, claims } = request.query
  const { age_thresholds } = JSON.parse(claims)
  const now = Math.floor(Date.now() / 1000)
  const idToken = await new SignJWT({
    sub: crypto.randomUUID(),
    iss: 'http://localhost/v1/oidc/use',
    aud: [client_id],
    iat: now,
    exp: now + 600,
    nonce,
    age_thresholds: Object.fromEntries(age_thresholds.map((age) => [age, age <= 34])),
    req_claims_hash: 'emT6KmIjrdc6juPaqvMe0D56OdGCMaAfsGehG-CfX9M',
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'bench', typ: 'JWT' })
    .sign(privateKey)
  response.redirect(`${redirect_uri}#${new URLSearchParams({ id_token: idToken, state })}`)
})
const server = app.listen(0, '127.0.0.1', () => serve(`http://127.0.0.1:${server.address().port}`))
