import {
  ACTING_COOKIE,
  AUDIT_COOKIE,
  actingValue,
  type NamedDecision,
  OUTCOME_COOKIE,
  PERSONA_COOKIE,
  type RequestedDecision,
  readActingValue,
} from '../../sandbox/decision/sources.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { Pairs } from '../../service/oidc/request/parameters.ts'
import { type Cookie, hostedCookie, readCookie } from './cookie.ts'
import type { Incoming } from './incoming.ts'

const SANDBOX_PARAMETERS = ['sandbox_persona', 'sandbox_outcome']

/**
 * Separates the parameters of the service from the persona and outcome that the request names.
 * @throws Refusal for an unknown or repeated `sandbox_` parameter, so that no misspelt name is
 * ignored
 */
export function readRequestedDecision(request: Incoming): {
  query: Pairs
  requested: RequestedDecision
} {
  const pairs = request.queryPairs
  const own: (typeof pairs)[number][] = []
  for (const pair of pairs) if (pair[0].startsWith('sandbox_')) own.push(pair)
  return {
    query: own.length === 0 ? pairs : pairs.filter((pair) => !own.includes(pair)),
    requested: {
      query: own.length === 0 ? undefined : namedIn(own),
      headers: {
        persona: request.header('x-sandbox-persona'),
        outcome: request.header('x-sandbox-outcome'),
      },
      cookie: request.header('cookie') === undefined ? undefined : requestedByCookies(request),
    },
  }
}

/** Whether an audit sent the request, by its header or cookie. */
export const isOfAudit = (request: Incoming): boolean =>
  (request.header('x-sandbox-audit') ?? readCookie(request, AUDIT_COOKIE)) === '1'

const requestedByCookies = (request: Pick<Incoming, 'header'>): NamedDecision => ({
  persona: readCookie(request, PERSONA_COOKIE) || undefined,
  outcome: readCookie(request, OUTCOME_COOKIE) || undefined,
})

function namedIn(own: Pairs): NamedDecision {
  for (const [name] of own) {
    if (SANDBOX_PARAMETERS.includes(name)) continue
    throw Refusal.unknownName({
      source: 'query',
      kind: 'parameter',
      name,
      known: SANDBOX_PARAMETERS,
    })
  }
  const read = (name: string) => {
    const values = own.filter((pair) => pair[0] === name)
    if (values.length > 1)
      throw Refusal.invalidRequest(`${name}: it is sent more than once; send it once.`)
    // A value that is not well-formed UTF-8 becomes a name that does not exist.
    return values[0] && (values[0][1] ?? '\ufffd')
  }
  return { persona: read('sandbox_persona'), outcome: read('sandbox_outcome') }
}

/**
 * The cookies that make a browser act as a persona and force an outcome. Without a value the cookie
 * is cleared.
 */
export const actingCookies = (
  { persona, outcome }: Partial<NamedDecision>,
  tenant: Tenant,
): readonly Cookie[] => [
  hostedCookie(PERSONA_COOKIE, persona, tenant),
  hostedCookie(OUTCOME_COOKIE, outcome, tenant),
  shownCookie(actingValue(tenant.basePath, { persona, outcome }), tenant),
]

const shownCookie = (value: string, { basePath }: Tenant): Cookie => ({
  name: ACTING_COOKIE,
  value,
  options: { path: `${basePath}/`, sameSite: 'lax', ...(value === '' ? { maxAge: 0 } : {}) },
})

/**
 * The persona and outcome that this browser acts with. The cookies that decide flows are not sent
 * to the console, unless a test set them for every path; otherwise a third cookie, which the
 * console receives, holds both names.
 */
export function readActing(
  request: Pick<Incoming, 'header'>,
  { basePath }: Pick<Tenant, 'basePath'>,
): NamedDecision {
  const sent = requestedByCookies(request)
  return sent.persona || sent.outcome
    ? sent
    : readActingValue(readCookie(request, ACTING_COOKIE) ?? '', basePath)
}
