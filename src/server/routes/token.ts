import { exchangeCode, findCode } from '../../service/oidc/token.ts'
import { identifier } from '../http/calls/record-call.ts'
import type { Handler } from '../http/handler.ts'
import { json } from '../http/reply.ts'
import { answerServerCall, NO_STORE, serverCall } from './server-call.ts'

/** E4: the app exchanges the code of a Use flow for an access token. */
export const serveToken: Handler = async (request, tenant) => {
  const { provider } = tenant
  const { code } = request.sentParameters()
  // Read here because the record also names the flow that the call continues.
  const found = typeof code === 'string' ? await findCode(code, provider) : undefined
  const call = serverCall('token', request, tenant, { state: found?.record.state })
  return answerServerCall(call, {
    request,
    tenant,
    async serve() {
      const { response, findings } = await exchangeCode(request, provider, found)
      const issuedIds = [identifier('access_token', response.access_token)]
      return { reply: json(200, response, NO_STORE), findings, issuedIds, ends: true }
    },
  })
}
