import { randomBytes } from 'node:crypto'
import { upgradeScope } from '../oidc/profile.ts'
import { createIssuer, useIssuer } from '../oidc/provider.ts'
import { DEMO_CLIENT_ID, demoCallback } from '../sandbox/clients/demo-client.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Sent } from './journey.ts'

/** What the demo asks for in a Use request. */
export interface UseWish {
  /** The claims object as text. */
  readonly claims: string
  readonly responseMode: string
  readonly canCreate: boolean
  readonly upgrade: boolean
}

/** A value for `state` or `nonce` that nobody can guess: 128 bits. */
export const randomValue = () => randomBytes(16).toString('base64url')

/** E1: the parameters of a Use request, with a fresh state and nonce. */
export function useParameters({ claims, responseMode, canCreate, upgrade }: UseWish, { provider }: Tenant): Sent {
  return {
    scope: upgrade ? `openid ${upgradeScope(provider.profile)}` : 'openid',
    response_type: 'id_token',
    response_mode: responseMode,
    client_id: DEMO_CLIENT_ID,
    redirect_uri: demoCallback(provider.baseUrl),
    state: randomValue(),
    nonce: randomValue(),
    claims,
    ...(canCreate ? { can_create: 'true' } : {}),
  }
}

/** Where the browser goes with a Use request. */
export const useUrl = (parameters: Sent, { provider }: Tenant) =>
  `${useIssuer(provider)}?${new URLSearchParams(parameters).toString()}`

/** E3: the parameters of a Create request that was pushed. */
export const createParameters = (requestUri: string, { provider }: Tenant): Sent => ({
  scope: 'openid',
  response_type: 'none',
  client_id: DEMO_CLIENT_ID,
  redirect_uri: demoCallback(provider.baseUrl),
  request_uri: requestUri,
})

/** Where the browser goes with a pushed Create request. */
export const createUrl = (parameters: Sent, { provider }: Tenant) =>
  `${createIssuer(provider)}?${new URLSearchParams(parameters).toString()}`
