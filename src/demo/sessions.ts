import { randomBytes } from 'node:crypto'
import { parse, serialize } from 'cookie'
import type { Incoming } from '../http/incoming.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import type { Journey } from './journey.ts'

const COOKIE = 'agekey_sandbox_demo'

/** Seconds for which a browser keeps its session. */
const COOKIE_SECONDS = 3_600

/** Sessions of all tenants together: the oldest go, so that visitors cannot fill the memory. */
const MOST_SESSIONS = 500

/** The sessions of the demo, in memory: what a relying party must remember between request and callback. */
export interface Sessions {
  /** Begins a new session; the result is the `Set-Cookie` value that ties it to the browser. */
  begin(journey: Journey, tenant: Tenant): string
  find(request: Incoming, tenant: Tenant): Journey | undefined
  /** Puts a later state in place of what the session of this browser holds. */
  update(request: Incoming, tenant: Tenant, journey: Journey): void
}

export function createSessions(): Sessions {
  /** Oldest first. */
  const journeys = new Map<string, Journey>()
  const keyOf = (request: Incoming, { name }: Tenant) => `${name} ${parse(request.header('cookie') ?? '')[COOKIE]}`
  return {
    begin(journey, { name, basePath }) {
      const id = randomBytes(16).toString('base64url')
      journeys.set(`${name} ${id}`, journey)
      const [oldest] = journeys.keys()
      if (journeys.size > MOST_SESSIONS && oldest !== undefined) journeys.delete(oldest)
      const path = `${basePath}/_sandbox/demo`
      return serialize(COOKIE, id, { path, httpOnly: true, sameSite: 'lax', maxAge: COOKIE_SECONDS })
    },
    find: (request, tenant) => journeys.get(keyOf(request, tenant)),
    update(request, tenant, journey) {
      const key = keyOf(request, tenant)
      if (journeys.has(key)) journeys.set(key, journey)
    },
  }
}
