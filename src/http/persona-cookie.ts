import { parse, serialize } from 'cookie'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Incoming } from './incoming.ts'

/** The cookie by which a browser acts as a persona. */
export const PERSONA_COOKIE = 'agekey_sandbox_persona'

/** The persona that the browser acts as. */
export const readPersonaCookie = (request: Incoming): string | undefined =>
  parse(request.header('cookie') ?? '')[PERSONA_COOKIE] || undefined

/** A `Set-Cookie` value that sets or, without a name, clears the cookie; it is sent only to the hosted pages of this tenant. */
export const personaCookie = (name: string | undefined, { basePath }: Tenant): string =>
  serialize(PERSONA_COOKIE, name ?? '', {
    path: `${basePath}/v1/oidc`,
    httpOnly: true,
    sameSite: 'lax',
    ...(name === undefined ? { maxAge: 0 } : {}),
  })
