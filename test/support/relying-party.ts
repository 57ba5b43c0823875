import * as z from 'zod'
import { readCallback } from './callbacks.ts'
import type { Answer, HttpClient } from './http-client.ts'
import {
  ageSignal,
  basic,
  type Changes,
  createRequest,
  pushedRequest,
  tokenRequest,
  useRequest,
} from './requests.ts'

const pushed = z.object({ request_uri: z.string() })
const issued = z.object({ access_token: z.string() })

export type RelyingParty = ReturnType<typeof createRelyingParty>

/**
 * The calls of a relying party, by default with the credentials of the built-in client; what a test
 * is about it changes.
 */
export function createRelyingParty(
  { request }: HttpClient,
  { clientId = 'ak_test_sandbox', clientSecret = 'sk_test_sandbox', brand = 'svc' } = {},
) {
  const ids = { client_id: clientId }
  const decided = { ...ids, sandbox_persona: 'adult-passport' }

  /**
   * E1, decided by `adult-passport` unless `sandbox_persona` or `sandbox_outcome` say otherwise.
   */
  const use = async (changes: Changes = {}) =>
    readCallback(await request.get('/v1/oidc/use').query(useRequest({ ...decided, ...changes })))
  /** E1 with the upgrade scope, by a persona under every threshold: the code. */
  async function obtainCode(changes: Changes = {}) {
    const { params } = await use({
      scope: `openid ${brand}.upgrade`,
      sandbox_persona: 'child-12',
      ...changes,
    })
    return z.string().parse(params['code'])
  }
  async function push(changes: Changes = {}): Promise<Answer> {
    const form = pushedRequest({ ...ids, client_secret: clientSecret, ...changes })
    return request.post('/v1/oidc/create/par').type('form').send(form)
  }
  const obtainRequestUri = async (changes?: Changes) =>
    pushed.parse((await push(changes)).body).request_uri
  const create = async (requestUri: string, changes: Changes = {}) =>
    readCallback(
      await request
        .get('/v1/oidc/create')
        .query(createRequest(requestUri, { ...decided, ...changes })),
    )
  async function exchange(code: string | undefined, changes?: Changes): Promise<Answer> {
    const call = request
      .post('/v1/oidc/use/token')
      .set('Authorization', basic(clientId, clientSecret))
    return call.type('form').send(tokenRequest(code, changes))
  }
  /** E1 and E4: an access token for the age key of a persona under every threshold. */
  const obtainToken = async (sent?: Changes) =>
    issued.parse((await exchange(await obtainCode(sent))).body).access_token
  async function upgrade(token: string, details: unknown = [ageSignal()]): Promise<Answer> {
    const call = request.post(`/v1/${brand}/upgrade`).set('Authorization', `Bearer ${token}`)
    return call.send({ authorization_details: details })
  }
  return { use, obtainCode, push, obtainRequestUri, create, exchange, obtainToken, upgrade }
}
