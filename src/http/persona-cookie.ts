import { PERSONA_COOKIE } from '../sandbox/decision/decide.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { type Cookie, readCookie } from './cookie.ts'
import type { Incoming } from './incoming.ts'

/** The persona that the browser acts as. */
export const readPersonaCookie = (request: Incoming): string | undefined =>
  readCookie(request, PERSONA_COOKIE) || undefined

/** The cookie for a persona; without a name it is cleared. Browsers send it only to the hosted pages of this tenant. */
export const personaCookie = (name: string | undefined, { basePath }: Tenant): Cookie => ({
  name: PERSONA_COOKIE,
  value: name ?? '',
  options: { path: `${basePath}/v1/oidc`, sameSite: 'lax', ...(name === undefined ? { maxAge: 0 } : {}) },
})
