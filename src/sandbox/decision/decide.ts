import type { CreateTransaction } from '../../oidc/create.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { ReceivedCall } from './call.ts'
import { requirePersona } from './names.ts'
import { needsPersona, requireAgeKeyFor, requirePossibleOutcome, usualOutcome } from './possible-outcome.ts'
import { matchQueue, type QueuedDecision, settleQueue } from './queue.ts'
import { type DecisionSource, type NamedDecision, type RequestedDecision, sourcesOf } from './sources.ts'

/** The persona that an outcome takes when it needs one and none was named. */
export const FALLBACK_PERSONA = 'adult-passport'

type Transaction = UseTransaction | CreateTransaction

/** Persona and outcome of one authorization request. */
export interface Decision {
  readonly persona: Persona | undefined
  readonly outcome: Outcome
  /** The named outcome, when it belongs to a later server-to-server call of the client. */
  readonly laterOutcome: Outcome | undefined
  /** The queued decision that was followed. */
  readonly queued?: QueuedDecision | undefined
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
  const named =
    byOutcome &&
    requirePossibleOutcome(transaction, byOutcome.outcome ?? '', {
      source: byOutcome.source,
      profile: tenant.provider.profile,
    })
  const isOwn = named?.flow === transaction.flow
  const outcome = named && isOwn ? named : usualOutcome(transaction.flow)
  const holder = persona ?? (needsPersona(outcome) ? await find(FALLBACK_PERSONA, 'the fallback') : undefined)
  if (byOutcome) requireAgeKeyFor(outcome, holder, byOutcome.source)
  return { decision: { persona: holder, outcome, laterOutcome: isOwn ? undefined : named }, followed }
}
