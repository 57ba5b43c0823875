import { decodeJwt, decodeProtectedHeader } from 'jose'
import * as z from 'zod'
import type { ReceivedCallback } from './callbacks.ts'

const idTokenClaims = z.strictObject({
  sub: z.string(),
  iss: z.string(),
  aud: z.array(z.string()),
  iat: z.int(),
  exp: z.int(),
  nonce: z.string(),
  age_thresholds: z.record(z.string(), z.boolean()),
  req_claims_hash: z.string(),
  c_hash: z.string().optional(),
})

/** The unverified claims of the id_token in a callback: exactly those of the specification. */
export const idTokenOf = ({ params }: ReceivedCallback) =>
  idTokenClaims.parse(decodeJwt(params['id_token'] ?? ''))

export const headerOf = ({ params }: ReceivedCallback) =>
  decodeProtectedHeader(params['id_token'] ?? '')
