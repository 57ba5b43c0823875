import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { createDiscovery, useDiscovery } from '../../service/oidc/discovery.ts'
import { addressForCaller } from '../http/guard/called-address.ts'
import type { Handler } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { CORS, json } from '../http/reply.ts'
import { answerServerCall, serverCall } from './server-call.ts'

/** E6: the discovery document of Use, with the address that the caller used. */
export const serveUseDiscovery: Handler = (request, tenant) =>
  publish('discovery', request, tenant, () =>
    useDiscovery(tenant.provider, addressForCaller(request, tenant)),
  )

/** E6: the discovery document of Create, with the address that the caller used. */
export const serveCreateDiscovery: Handler = (request, tenant) =>
  publish('discovery', request, tenant, () =>
    createDiscovery(tenant.provider, addressForCaller(request, tenant)),
  )

/** E6: the public keys that verify an id_token. */
export const serveJwks: Handler = (request, tenant) =>
  publish('jwks', request, tenant, () => tenant.provider.signer.jwks())

/** Answers with a public document. */
const publish = (
  flow: 'discovery' | 'jwks',
  request: Incoming,
  tenant: Tenant,
  document: () => unknown,
) =>
  answerServerCall(serverCall(flow, request, tenant), {
    request,
    tenant,
    serve: async () => ({ reply: json(200, await document(), PUBLIC) }),
  })

const PUBLIC = { ...CORS, 'Cache-Control': 'no-cache' }
