import { randomBytes } from 'node:crypto'
import express from 'express'
import * as z from 'zod'
import { serve } from './serve.js'

/** The least that answers as E2, E4 and E5 do: a body checked by a schema, an answer in JSON. */
const signals = z
  .array(
    z.strictObject({
      type: z.literal('age_verification'),
      age: z.strictObject({ date_of_birth: z.string() }),
      method: z.enum(['id_doc_scan', 'facial_age_estimation']),
      verification_id: z.string().regex(/^[\w+/=.-]{1,100}$/),
      verified_at: z.string(),
      provenance: z.string().regex(/^\/[a-z0-9_/]+$/),
      attributes: z.strictObject({ issuing_country: z.string() }),
    }),
  )
  .min(1)
  .max(10)
const pushed = z.object({
  client_id: z.string(),
  client_secret: z.string(),
  scope: z.literal('openid'),
  response_type: z.literal('none'),
  type: z.literal('age_verification'),
  redirect_uri: z.url(),
  state: z.string(),
  authorization_details: z.string(),
})
const exchange = z.object({ grant_type: z.literal('authorization_code'), code: z.string() })
const id = () => randomBytes(16).toString('base64url')

const app = express()
app.use(express.urlencoded({ extended: false }), express.json())
app.post('/v1/oidc/create/par', (request, response) => {
  signals.parse(JSON.parse(pushed.parse(request.body).authorization_details))
  response.status(201).json({ request_uri: `urn:svc:request:${id()}`, expires_in: 90 })
})
app.post('/v1/oidc/use/token', (request, response) => {
  exchange.parse(request.body)
  response.json({ access_token: id(), token_type: 'Bearer', expires_in: 10800 })
})
app.post('/v1/svc/upgrade', (request, response) => {
  signals.parse(request.body.authorization_details)
  response.json('OK')
})
const server = app.listen(0, '127.0.0.1', () => serve(`http://127.0.0.1:${server.address().port}`))
