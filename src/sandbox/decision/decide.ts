import type { CreateTransaction } from '../../oidc/create.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Outcome, OutcomeFlow } from '../outcomes/outcome.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { ReceivedCall } from './call.ts'
import { requireOutcome, requirePersona } from './names.ts'
import { needsPersona, requirePossibleOutcome, usualOutcome } from './possible-outcome.ts'
import { matchQueue, type QueuedDecision, settleQueue } from './queue.ts'

/** The persona that an outcome takes when it needs one and none was named. */
export const FALLBACK_PERSONA = 'adult-passport'

/** The cookie by which a browser acts as a persona. */
export const PERSONA_COOKIE = 'agekey_sandbox_persona'

type Transaction = UseTransaction | CreateTransaction

/** What one source says: a persona, an outcome, both or nothing. */
export interface DecisionSource {
  /** For messages: `query parameter sandbox_persona`. */
  readonly source: string
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
}

/** What a request itself says about its decision. */
export interface RequestedDecision {
  readonly query?: NamedDecision
  readonly headers?: NamedDecision
  /** The persona of the cookie `PERSONA_COOKIE`. */
  readonly cookie?: string | undefined
}

export type NamedDecision = Readonly<Record<'persona' | 'outcome', string | undefined>>

/** Persona and outcome of one authorization request. */
export interface Decision {
  readonly persona: Persona | undefined
  readonly outcome: Outcome
  /** The named outcome, when it belongs to a later server-to-server call of the client. */
  readonly laterOutcome: Outcome | undefined
  /** The queued decision that was followed. */
  readonly queued?: QueuedDecision | undefined
}

/** What decides by the request itself, the strongest first. */
const requestSources = ({ query, headers }: RequestedDecision): readonly DecisionSource[] => [
  { source: 'query parameter sandbox_persona', persona: query?.persona },
  { source: 'query parameter sandbox_outcome', outcome: query?.outcome },
  { source: 'request header X-Sandbox-Persona', persona: headers?.persona },
  { source: 'request header X-Sandbox-Outcome', outcome: headers?.outcome },
]

/**
 * Everything that can decide a request or call, the strongest first. Persona and outcome are looked up separately: each
 * comes from the first source that names one. When no source names anything, the choice page asks.
 */
function sourcesOf(
  { flow, client_id: clientId = '' }: ReceivedCall,
  { requested, queued, tenant }: { requested: RequestedDecision; queued: QueuedDecision | undefined; tenant: Tenant },
): readonly DecisionSource[] {
  const { defaults } = tenant.settings
  return [
    ...requestSources(requested),
    ...(queued ? [queued] : []),
    { source: `cookie ${PERSONA_COOKIE}`, persona: requested.cookie },
    { source: `client ${clientId}`, persona: tenant.clients.find(clientId)?.persona },
    // A default outcome of another flow does not concern this one.
    {
      source: 'the default of the sandbox',
      persona: defaults.persona,
      outcome: defaults.outcome !== undefined && findOutcome(flow, defaults.outcome) ? defaults.outcome : undefined,
    },
  ]
}

/**
 * Checks every name in a request, also one that a stronger source overrules.
 * @returns the personas that are named
 * @throws Refusal for an unknown name
 */
export async function requireRequestedNames(
  flow: OutcomeFlow,
  requested: RequestedDecision,
  { personas }: Pick<Tenant, 'personas'>,
): Promise<readonly Persona[]> {
  const named: Persona[] = []
  for (const { source, persona, outcome } of requestSources(requested)) {
    if (persona !== undefined) named.push(await requirePersona(persona, { personas, source }))
    if (outcome !== undefined) requireOutcome(flow, outcome, source)
  }
  return named
}

/**
 * Decides an authorization request; `undefined` leaves it to the choice page. A queued decision is used up only when it
 * is followed; when another request took it first, the next one in the queue is tried.
 * @throws Refusal for an unknown name and for an outcome that this request cannot have
 */
export async function decide(
  transaction: Transaction,
  call: ReceivedCall,
  { requested, known = [], tenant }: { requested: RequestedDecision; known?: readonly Persona[]; tenant: Tenant },
): Promise<Decision | undefined> {
  for (;;) {
    const match = await matchQueue(call, tenant)
    const { decision: queued } = match
    const settle = (isFollowed: boolean) => settleQueue(match, { isFollowed, call, queue: tenant })
    try {
      const sources = sourcesOf(call, { requested, queued, tenant })
      const { decision, followed } = await choose(transaction, sources, { known, tenant })
      const isFollowed = queued !== undefined && followed.includes(queued)
      if (await settle(isFollowed)) return decision && (isFollowed ? { ...decision, queued } : decision)
    } catch (error) {
      await settle(false)
      throw error
    }
  }
}

/** Decides by the form of the choice page alone; `undefined` when it names nothing. @throws Refusal as `decide` */
export async function decideByChoice(
  transaction: Transaction,
  choice: NamedDecision,
  tenant: Tenant,
): Promise<Decision | undefined> {
  return (await choose(transaction, [{ source: 'choice', ...choice }], { known: [], tenant })).decision
}

/**
 * Uses up a queued decision for a request that has already ended: a `request_uri` that really expired meets an
 * expectation of `request_uri.expired`.
 */
export async function decideEnded(call: ReceivedCall, tenant: Tenant): Promise<Decision | undefined> {
  const outcome = findOutcome(call.flow, call.endedAs ?? '')
  if (!outcome) return undefined
  for (;;) {
    const match = await matchQueue(call, tenant)
    const isFollowed = match.decision !== undefined
    const isSettled = await settleQueue(match, { isFollowed, call, queue: tenant })
    if (!isFollowed) return undefined
    if (isSettled) return { persona: undefined, outcome, laterOutcome: undefined, queued: match.decision }
  }
}

/** The outcome that a server-to-server call is forced to have. */
export interface ForcedOutcome {
  readonly outcome: Outcome
  readonly queued: QueuedDecision | undefined
  /** Records whether it was followed, which uses up what was queued; `false` when another call took it first. */
  settle(isFollowed: boolean): Promise<boolean>
}

/**
 * Decides a server-to-server call; `undefined` lets the service answer.
 * @throws Refusal for an unknown name
 */
export async function decideServerCall(
  call: ReceivedCall,
  { requested, tenant }: { requested: RequestedDecision; tenant: Tenant },
): Promise<ForcedOutcome | undefined> {
  const match = await matchQueue(call, tenant)
  const settle = (isFollowed: boolean) => settleQueue(match, { isFollowed, call, queue: tenant })
  const source = sourcesOf(call, { requested, queued: match.decision, tenant }).find(
    ({ outcome }) => outcome !== undefined,
  )
  const isQueued = source !== undefined && source === match.decision
  if (!isQueued) await settle(false)
  if (source?.outcome === undefined) return undefined
  const outcome = requireOutcome(call.flow, source.outcome, source.source)
  return {
    outcome,
    queued: isQueued ? match.decision : undefined,
    settle: isQueued ? settle : async () => true,
  }
}

async function choose(
  transaction: Transaction,
  sources: readonly DecisionSource[],
  { known, tenant }: { known: readonly Persona[]; tenant: Tenant },
): Promise<{ decision: Decision | undefined; followed: readonly DecisionSource[] }> {
  const byPersona = sources.find(({ persona }) => persona !== undefined)
  const byOutcome = sources.find(({ outcome }) => outcome !== undefined)
  const followed = [byPersona, byOutcome].filter((source) => source !== undefined)
  if (followed.length === 0) return { decision: undefined, followed }
  const { personas } = tenant
  const find = async (name: string, source: string) =>
    known.find((persona) => persona.name === name) ?? requirePersona(name, { personas, source })
  const persona = byPersona && (await find(byPersona.persona ?? '', byPersona.source))
  const named = byOutcome && requirePossibleOutcome(transaction, byOutcome.outcome ?? '', byOutcome.source)
  const isOwn = named?.flow === transaction.flow
  const outcome = named && isOwn ? named : usualOutcome(transaction.flow)
  const holder = persona ?? (needsPersona(outcome) ? await find(FALLBACK_PERSONA, 'the fallback') : undefined)
  return { decision: { persona: holder, outcome, laterOutcome: isOwn ? undefined : named }, followed }
}
