import { identifier } from '../http/calls/record-call.ts'
import { addressForCaller } from '../http/guard/caller-address.ts'
import { CORS, json } from '../http/reply.ts'
import { createDiscovery, useDiscovery } from '../oidc/discovery.ts'
import { pushRequest } from '../oidc/pushed-request.ts'
import { exchangeCode } from '../oidc/token.ts'
import { upgradeAgeKey } from '../oidc/upgrade.ts'
import { withForcedOutcome } from './forced-outcome.ts'

const NO_STORE = { 'Cache-Control': 'no-store', Pragma: 'no-cache' }
const PUBLIC = { ...CORS, 'Cache-Control': 'no-cache' }

/** E2 */
export const par = withForcedOutcome('par', async (request, { provider }) => {
  const { response, findings } = await pushRequest(request, provider)
  return {
    reply: json(201, response, NO_STORE),
    findings,
    issuedIds: [identifier('request_uri', response.request_uri)],
  }
})

/** E4 */
export const token = withForcedOutcome('token', async (request, { provider }) => {
  const { response, findings } = await exchangeCode(request, provider)
  const issuedIds = [identifier('access_token', response.access_token)]
  return { reply: json(200, response, NO_STORE), findings, issuedIds, ends: true }
})

/** E5 */
export const upgrade = withForcedOutcome('upgrade', async (request, { provider }) => {
  const { response, findings } = await upgradeAgeKey(request, provider)
  return { reply: json(200, response, NO_STORE), findings, ends: true }
})

/** E6 */
export const discoverUse = withForcedOutcome('discovery', (request, tenant) =>
  publish(useDiscovery(tenant.provider, addressForCaller(request, tenant))),
)
export const discoverCreate = withForcedOutcome('discovery', (request, tenant) =>
  publish(createDiscovery(tenant.provider, addressForCaller(request, tenant))),
)
export const jwks = withForcedOutcome('jwks', async (_request, { provider }) => publish(await provider.signer.jwks()))

const publish = (document: unknown) => ({ reply: json(200, document, PUBLIC) })
