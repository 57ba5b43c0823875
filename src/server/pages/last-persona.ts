import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { type Cookie, hostedCookie, readCookie } from '../http/cookie.ts'
import type { Incoming } from '../http/incoming.ts'

/** The cookie that holds the persona of this browser's last Use. */
const LAST_PERSONA_COOKIE = 'agekey_sandbox_last_persona'

/**
 * The cookie to set after a Use; a Use without a persona clears it. `undefined` when no cookie has
 * to change.
 */
export function lastPersonaCookie(
  name: string | undefined,
  request: Incoming,
  tenant: Tenant,
): Cookie | undefined {
  const isNeeded = name !== undefined || readCookie(request, LAST_PERSONA_COOKIE) !== undefined
  return isNeeded ? hostedCookie(LAST_PERSONA_COOKIE, name, tenant) : undefined
}

/** The name of the persona of this browser's last Use. The persona may no longer exist. */
export const lastPersonaOf = (request: Incoming): string | undefined =>
  readCookie(request, LAST_PERSONA_COOKIE)
