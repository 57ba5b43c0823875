import { identifier } from '../http/calls/record-call.ts'
import { addressForCaller } from '../http/guard/caller-address.ts'
import type { Handler } from '../http/handler.ts'
import type { Incoming } from '../http/incoming.ts'
import { CORS, json } from '../http/reply.ts'
import { createDiscovery, useDiscovery } from '../oidc/discovery.ts'
import type { Endpoint, EndpointId } from '../oidc/endpoints.ts'
import { pushRequest } from '../oidc/pushed-request.ts'
import { bearerToken } from '../oidc/request/client-auth.ts'
import { accessTokens, exchangeCode, findCode } from '../oidc/token.ts'
import { upgradeAgeKey } from '../oidc/upgrade.ts'
import { TRAP_PATH } from '../sandbox/outcomes/tamper-tools.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { withForcedOutcome } from './forced-outcome.ts'

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
const PUBLIC = { ...CORS, 'Cache-Control': 'no-cache' }

const par = withForcedOutcome('par', {
  find: () => undefined,
  async serve(request, { provider }) {
    const { response, findings } = await pushRequest(request, provider)
    const issuedIds = [identifier('request_uri', response.request_uri)]
    return { reply: json(201, response, NO_STORE), findings, issuedIds }
  },
})

const token = withForcedOutcome('token', {
  find(request, { provider }) {
    const { code } = request.sentParameters()
    return typeof code === 'string' ? findCode(code, provider) : undefined
  },
  continues: (found) => ({ state: found?.record.state }),
  async serve(request, { provider }, found) {
    const { response, findings } = await exchangeCode(request, provider, found)
    const issuedIds = [identifier('access_token', response.access_token)]
    return { reply: json(200, response, NO_STORE), findings, issuedIds, ends: true }
  },
})

const upgrade = withForcedOutcome('upgrade', {
  find({ authorization }, { provider }) {
    const sent = bearerToken(authorization)
    return sent === undefined ? undefined : accessTokens(provider).get(sent)
  },
  continues: (grant) => grant,
  async serve(request, { provider }, grant) {
    const { response, findings } = await upgradeAgeKey(request, provider, grant)
    return { reply: json(200, response, NO_STORE), findings, ends: true }
  },
})

function published(flow: 'discovery' | 'jwks', document: (request: Incoming, tenant: Tenant) => unknown): Handler {
  return withForcedOutcome(flow, {
    find: () => undefined,
    serve: async (request, tenant) => ({ reply: json(200, await document(request, tenant), PUBLIC) }),
  })
}

/** The endpoints to which no browser is sent. */
export const BACKCHANNEL = {
  par,
  token,
  upgrade,
  useDiscovery: published('discovery', (request, tenant) =>
    useDiscovery(tenant.provider, addressForCaller(request, tenant)),
  ),
  createDiscovery: published('discovery', (request, tenant) =>
    createDiscovery(tenant.provider, addressForCaller(request, tenant)),
  ),
  jwks: published('jwks', (_request, { provider }) => provider.signer.jwks()),
} satisfies Partial<Record<EndpointId, Handler>>

/** An address in a forged id_token (`jku`, `x5u`) or redirect: a client that fetches the address trusts an attacker. */
export const TRAP_ENDPOINT = {
  number: 'trap',
  flow: 'use',
  correlation: 'trap',
  method: 'get',
  path: `${TRAP_PATH}/:id`,
  title: 'Trap fetched',
  caller: 'server',
} as const satisfies Endpoint

export const trap: Handler = () => ({ reply: json(200, { keys: [] }) })
