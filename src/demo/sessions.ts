import { randomBytes } from 'node:crypto'
import { type Cookie, readCookie } from '../http/cookie.ts'
import type { Incoming } from '../http/incoming.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { CheckedCallback } from './check-callback.ts'
import type { Exchange } from './server-calls.ts'

/** The session of one browser: one flow, from its request to its end. */
export type Session = UseSession | CreateSession

interface CommonSession {
  readonly state: string
  /** The callback; absent until the browser comes back. */
  readonly callback?: CheckedCallback
  /** Calls from server to server, in order: E2, or E4 and E5. */
  readonly exchanges: readonly Exchange[]
}

export interface UseSession extends CommonSession {
  readonly flow: 'use'
  /** The parameters of E1. */
  readonly request: Readonly<Record<string, string>>
  /** Milliseconds since the UNIX epoch, by the clock of the sandbox. */
  readonly startedAt: number
}

export interface CreateSession extends CommonSession {
  readonly flow: 'create'
  /** The parameters of E3; absent when E2 was refused. */
  readonly request?: Readonly<Record<string, string>>
}

/** The sessions of the demo, in memory. */
export interface Sessions {
  /** Begins a session. Returns the cookie that ties it to the browser. */
  begin(session: Session, tenant: Tenant): Cookie
  /** The session of a browser. @throws Refusal 400 when it has none */
  require(request: Incoming, tenant: Tenant): Session
  /** Replaces the session of a browser; has no effect when it has none. */
  update(request: Incoming, tenant: Tenant, session: Session): void
}

const COOKIE = 'agekey_sandbox_demo'
const COOKIE_SECONDS = 3_600

/** Limits the memory that visitors can fill: sessions of all tenants together; the oldest is removed first. */
const MAX_SESSIONS = 500

export function createSessions(): Sessions {
  /** By tenant and cookie, the oldest first. */
  const sessions = new Map<string, Session>()
  const keyOf = (request: Incoming, { name }: Tenant) => `${name} ${readCookie(request, COOKIE)}`
  return {
    begin(session, { name, basePath }) {
      const id = randomBytes(16).toString('base64url')
      sessions.set(`${name} ${id}`, session)
      const [oldest] = sessions.keys()
      if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest)
      const path = `${basePath}/_sandbox/demo`
      return { name: COOKIE, value: id, options: { path, sameSite: 'lax', maxAge: COOKIE_SECONDS } }
    },
    require(request, tenant) {
      const session = sessions.get(keyOf(request, tenant))
      if (session) return session
      throw Refusal.invalidRequest(
        'cookie: the shop does not know this browser, so it cannot tell whether the callback answers its own request.',
        {
          title: 'This browser has no session',
          restartHint: 'Start again in the demo app, at the base URL of the sandbox.',
        },
      )
    },
    update(request, tenant, session) {
      const key = keyOf(request, tenant)
      if (sessions.has(key)) sessions.set(key, session)
    },
  }
}
