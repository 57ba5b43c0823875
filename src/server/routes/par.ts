import { pushRequest } from '../../service/oidc/pushed-request.ts'
import { identifier } from '../http/calls/record-call.ts'
import type { Handler } from '../http/handler.ts'
import { json } from '../http/reply.ts'
import { answerServerCall, NO_STORE, serverCall } from './server-call.ts'

/** E2: the app pushes a Create authorization request (RFC 9126). */
export const servePar: Handler = (request, tenant) =>
  answerServerCall(serverCall('par', request, tenant), {
    request,
    tenant,
    async serve() {
      const { response, findings } = await pushRequest(request, tenant.provider)
      const issuedIds = [identifier('request_uri', response.request_uri)]
      return { reply: json(201, response, NO_STORE), findings, issuedIds }
    },
  })
