import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { type Cookie, readCookie } from '../../server/http/cookie.ts'
import type { Incoming } from '../../server/http/incoming.ts'
import { collection } from '../../service/oidc/collection.ts'
import { REMEMBERED_SECONDS } from '../../service/oidc/policy.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import { inSeconds } from '../../service/oidc/provider.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { checkedCallbackSchema } from './checks/check-callback.ts'
import { demoPath } from './demo.ts'
import { exchangeSchema } from './server-calls.ts'

const commonMembers = {
  state: z.string(),
  /** The callback; absent until the browser comes back. */
  callback: checkedCallbackSchema.optional(),
  /** Server-to-server calls, in order: E2, or E4 and E5. */
  exchanges: z.array(exchangeSchema).readonly(),
}

const useSessionSchema = z.object({
  flow: z.literal('use'),
  ...commonMembers,
  /** The parameters of E1. */
  request: z.record(z.string(), z.string()).readonly(),
  /** Milliseconds since the UNIX epoch, by the clock of the sandbox. */
  startedAt: z.number(),
})

const createSessionSchema = z.object({
  flow: z.literal('create'),
  ...commonMembers,
  /** The parameters of E3; absent when E2 was refused. */
  request: z.record(z.string(), z.string()).readonly().optional(),
})

export type UseSession = Readonly<z.infer<typeof useSessionSchema>>
export type CreateSession = Readonly<z.infer<typeof createSessionSchema>>

/** The session of a browser, for one flow. */
export type Session = UseSession | CreateSession

/** Kept in the store, so that any replica can serve the callback. */
const sessions = collection<Session>({
  name: 'demo_session',
  isUnfinished: true,
  schema: z.discriminatedUnion('flow', [useSessionSchema, createSessionSchema]),
})

const COOKIE = 'agekey_sandbox_demo'
/** In real time: browsers expire cookies by their own clock. */
const COOKIE_SECONDS = 3_600

/** Begins a session and returns the cookie that identifies the browser. */
export async function beginSession(session: Session, tenant: Tenant): Promise<Cookie> {
  const id = randomBytes(16).toString('base64url')
  await keep(id, session, tenant)
  return {
    name: COOKIE,
    value: id,
    options: { path: demoPath(tenant), sameSite: 'lax', maxAge: COOKIE_SECONDS },
  }
}

/**
 * Finds the session of a browser.
 * @throws Refusal 400 when the browser has none
 */
export async function requireSession(request: Incoming, tenant: Tenant): Promise<Session> {
  const session = await sessions(tenant.provider).get(idIn(request))
  if (session) return session
  throw Refusal.invalidRequest(
    'cookie: the shop does not know this browser, so it cannot tell whether the callback answers its own request.',
    {
      title: 'This browser has no session',
      restartHint: 'Start again in the demo app, at the base URL of the sandbox.',
    },
  )
}

/** Replaces the session of a browser. */
export const updateSession = (
  request: Incoming,
  tenant: Tenant,
  session: Session,
): Awaitable<void> => keep(idIn(request), session, tenant)

const idIn = (request: Incoming) => readCookie(request, COOKIE) ?? ''

/**
 * The record lives far longer than the cookie, so that moving the clock does not end the session.
 */
const keep = (id: string, session: Session, tenant: Tenant) =>
  sessions(tenant.provider).put(id, session, inSeconds(tenant.provider, REMEMBERED_SECONDS))
