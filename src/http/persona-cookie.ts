import { parse, serialize } from 'cookie'
import { PERSONA_COOKIE } from '../sandbox/decision/decide.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Incoming } from './incoming.ts'

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
