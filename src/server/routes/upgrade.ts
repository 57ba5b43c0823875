import { bearerToken } from '../../service/oidc/request/client-auth.ts'
import { accessTokens } from '../../service/oidc/token.ts'
import { upgradeAgeKey } from '../../service/oidc/upgrade.ts'
import type { Handler } from '../http/handler.ts'
import { json } from '../http/reply.ts'
import { answerServerCall, NO_STORE, serverCall } from './server-call.ts'

/** E5: the app adds age signals to the age key that the access token refers to. */
export const serveUpgrade: Handler = async (request, tenant) => {
  const { provider } = tenant
  const sent = bearerToken(request.authorization)
  // Read here because the record also names the flow that the call continues.
  const grant = sent === undefined ? undefined : await accessTokens(provider).get(sent)
  const call = serverCall('upgrade', request, tenant, grant ?? {})
  return answerServerCall(call, {
    request,
    tenant,
    async serve() {
      const { response, findings } = await upgradeAgeKey(request, provider, grant)
      return { reply: json(200, response, NO_STORE), findings, ends: true }
    },
  })
}
