import * as z from 'zod'
import { type ReceivedCallback, readCallback } from './callbacks.ts'
import type { Answer, HttpClient } from './http-client.ts'
import { ageSignal, basic, type Changes, createRequest, pushedRequest, tokenRequest, useRequest } from './requests.ts'

const pushed = z.object({ request_uri: z.string() })
const issued = z.object({ access_token: z.string() })

/** The calls of a relying party as it makes them; what a test is about it changes, and the rest goes well. */
export interface RelyingParty {
  /** E1, decided by `adult-passport` unless `sandbox_persona` or `sandbox_outcome` say otherwise. */
  use(changes?: Changes): Promise<ReceivedCallback>
  /** E1 with the upgrade scope, by a persona under every threshold: the code. */
  obtainCode(changes?: Changes): Promise<string>
  push(changes?: Changes): Promise<Answer>
  /** E2: the `request_uri`. */
  obtainRequestUri(changes?: Changes): Promise<string>
  /** E3, saved by `adult-passport` by default. */
  create(requestUri: string, changes?: Changes): Promise<ReceivedCallback>
  exchange(code: string | undefined, changes?: Changes): Promise<Answer>
  /** E1 and E4: an access token for the age key of a persona under every threshold. */
  obtainToken(changes?: Changes): Promise<string>
  upgrade(token: string, details?: unknown): Promise<Answer>
}

/** A relying party with the credentials of the built-in client, or with others. */
export function createRelyingParty(
  http: HttpClient,
  { clientId = 'ak_test_sandbox', clientSecret = 'sk_test_sandbox', brand = 'svc' } = {},
): RelyingParty {
  const ids = { client_id: clientId }
  const decided = { sandbox_persona: 'adult-passport' }
  const party: RelyingParty = {
    async use(changes) {
      return readCallback(await http.request.get('/v1/oidc/use').query(useRequest({ ...ids, ...decided, ...changes })))
    },
    async obtainCode(changes) {
      const scope = `openid ${brand}.upgrade`
      const { params } = await party.use({ scope, sandbox_persona: 'child-12', ...changes })
      return z.string().parse(params['code'])
    },
    async push(changes) {
      const form = pushedRequest({ ...ids, client_secret: clientSecret, ...changes })
      return http.request.post('/v1/oidc/create/par').type('form').send(form)
    },
    obtainRequestUri: async (changes) => pushed.parse((await party.push(changes)).body).request_uri,
    async create(requestUri, changes) {
      const query = createRequest(requestUri, { ...ids, ...decided, ...changes })
      return readCallback(await http.request.get('/v1/oidc/create').query(query))
    },
    async exchange(code, changes) {
      const call = http.request.post('/v1/oidc/use/token').set('Authorization', basic(clientId, clientSecret))
      return call.type('form').send(tokenRequest(code, changes))
    },
    async obtainToken(changes) {
      return issued.parse((await party.exchange(await party.obtainCode(changes))).body).access_token
    },
    async upgrade(token, details = [ageSignal()]) {
      const call = http.request.post(`/v1/${brand}/upgrade`).set('Authorization', `Bearer ${token}`)
      return call.send({ authorization_details: details })
    },
  }
  return party
}
