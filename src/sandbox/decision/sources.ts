import type { CallName } from '../../service/oidc/endpoints.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import {
  isOfBrowser,
  requireBrowserOutcome,
  requireOutcome,
  requirePersona,
} from '../outcomes/names.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { QueuedDecision } from '../queue/queue-match.ts'
import type { ReceivedCall } from '../queue/queued.ts'
import type { Tenant } from '../tenants/tenant.ts'

/** The cookie that makes a browser act as a persona. */
export const PERSONA_COOKIE = 'agekey_sandbox_persona'
/** The cookie that ends each flow of a browser with an outcome. */
export const OUTCOME_COOKIE = 'agekey_sandbox_outcome'
/** The cookie that marks the flows of a browser as part of an audit; its value is `1`. */
export const AUDIT_COOKIE = 'agekey_sandbox_audit'

/**
 * Decision: browsers send the other two cookies only to the hosted pages. The console reads this
 * cookie instead, which decides nothing. A cookie for the base URL is also sent to the tenants
 * below it, so its value names the path of its own tenant.
 */
export const ACTING_COOKIE = 'agekey_sandbox_acting'

/** The value of `ACTING_COOKIE`; empty without persona and outcome. */
export const actingValue = (
  basePath: string,
  { persona, outcome }: Partial<NamedDecision>,
): string =>
  persona || outcome
    ? new URLSearchParams({
        at: basePath,
        persona: persona ?? '',
        outcome: outcome ?? '',
      }).toString()
    : ''

/** Reads the persona and outcome of this tenant from the value of `ACTING_COOKIE`. */
export function readActingValue(value: string, basePath: string): NamedDecision {
  const given = new URLSearchParams(value)
  if (given.get('at') !== basePath) return { persona: undefined, outcome: undefined }
  return { persona: given.get('persona') || undefined, outcome: given.get('outcome') || undefined }
}

/** A source of decisions. It names a persona, an outcome, both or nothing. */
export interface DecisionSource {
  /** The name in messages: `query parameter sandbox_persona`. */
  readonly source: string
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
}

/** The personas and outcomes that the request itself names. */
export interface RequestedDecision {
  readonly query?: NamedDecision | undefined
  readonly headers?: NamedDecision
  /** The values of `PERSONA_COOKIE` and `OUTCOME_COOKIE`. */
  readonly cookie?: NamedDecision | undefined
}

export type NamedDecision = Readonly<Record<'persona' | 'outcome', string | undefined>>

/** The sources in the request, in order of precedence. */
const requestSources = ({ query, headers }: RequestedDecision): readonly DecisionSource[] => [
  { source: 'query parameter sandbox_persona', persona: query?.persona },
  { source: 'query parameter sandbox_outcome', outcome: query?.outcome },
  { source: 'request header X-Sandbox-Persona', persona: headers?.persona },
  { source: 'request header X-Sandbox-Outcome', outcome: headers?.outcome },
]

/**
 * All sources that can decide a request or call, in order of precedence. Persona and outcome are
 * looked up separately: each comes from the first source that names one. If no source names
 * anything, the choice page asks.
 */
export function sourcesOf(
  { flow, client_id: clientId = '' }: ReceivedCall,
  {
    requested,
    queued,
    tenant,
  }: { requested: RequestedDecision; queued: QueuedDecision | undefined; tenant: Tenant },
): readonly DecisionSource[] {
  const { defaults } = tenant.settings
  return [
    ...requestSources(requested),
    ...(queued ? [queued] : []),
    { source: `cookie ${PERSONA_COOKIE}`, persona: requested.cookie?.persona },
    { source: `cookie ${OUTCOME_COOKIE}`, outcome: ownOutcome(flow, requested.cookie?.outcome) },
    { source: `client ${clientId}`, persona: tenant.clients.find(clientId)?.persona },
    {
      source: 'the default of the sandbox',
      persona: defaults.persona,
      outcome: ownOutcome(flow, defaults.outcome),
    },
  ]
}

/** Ignores outcomes of other flows, because a cookie and a default apply to every flow. */
const ownOutcome = (flow: CallName, name: string | undefined) =>
  name !== undefined && findOutcome(flow, name) ? name : undefined

/**
 * Checks every name in a request, including names that another source overrides.
 * @returns the named personas
 * @throws Refusal for an unknown name
 */
export async function requireRequestedNames(
  flow: CallName,
  requested: RequestedDecision,
  { personas }: Pick<Tenant, 'personas'>,
): Promise<readonly Persona[]> {
  const named: Persona[] = []
  for (const { source, persona, outcome } of requestSources(requested)) {
    if (persona !== undefined) named.push(await requirePersona(persona, { personas, source }))
    if (outcome !== undefined) requireOutcome(flow, outcome, source)
  }
  const { outcome } = requested.cookie ?? {}
  if (outcome !== undefined && isOfBrowser(flow))
    requireBrowserOutcome(outcome, `cookie ${OUTCOME_COOKIE}`)
  return named
}
