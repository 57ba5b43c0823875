import type { CreateTransaction } from '../../service/oidc/create.ts'
import { type Awaitable, whenThere } from '../../service/oidc/ports.ts'
import { isUnavailable, Refusal, unlessUnavailable } from '../../service/oidc/refusal.ts'
import type { UseTransaction } from '../../service/oidc/use.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import { requireOutcome, requirePersona } from '../outcomes/names.ts'
import type { Outcome } from '../outcomes/outcome.ts'
import type { ReplayableAnswer } from '../outcomes/tamper-tools.ts'
import { FALLBACK_PERSONAS, type Persona } from '../personas/persona-schema.ts'
import type { QueuedDecision } from '../queue/queue-match.ts'
import type { ReceivedCall } from '../queue/queued.ts'
import type { Tenant } from '../tenants/tenant.ts'
import { followsCode, requireFittingPersona, requirePossibleOutcome } from './possible-outcome.ts'
import {
  type DecisionSource,
  type NamedDecision,
  type RequestedDecision,
  sourcesOf,
} from './sources.ts'

type Transaction = UseTransaction | CreateTransaction

/** The persona and outcome of one authorization request. */
export interface Decision {
  readonly persona: Persona | undefined
  readonly outcome: Outcome
  /** The requested outcome, if it belongs to a later server-to-server call. */
  readonly laterOutcome: Outcome | undefined
  /** The earlier answer that an outcome such as `callback.replayed` sends again. */
  readonly earlier?: ReplayableAnswer | undefined
  /** The sources of persona and outcome, for messages: `expectation e3 (now used up)`. */
  readonly decidedBy: string
  /** The expectation or scenario step that decided, if any. */
  readonly queued?: QueuedDecision | undefined
}

/**
 * Decides an authorization request; `undefined` when the choice page must ask. An expectation is
 * used up when it decides, and also when the request cannot have its outcome. If a concurrent
 * request used it up first, the next expectation is tried.
 * @throws Refusal for an unknown name, and for an outcome that the request cannot have
 */
export async function decide(
  transaction: Transaction,
  call: ReceivedCall,
  {
    requested,
    known,
    tenant,
  }: { requested: RequestedDecision; known?: readonly Persona[]; tenant: Tenant },
): Promise<Decision | undefined> {
  const { queue } = tenant
  for (;;) {
    const match = await queue.match(call)
    const { decision: queued } = match
    const sources = sourcesOf(call, { requested, queued, tenant })
    const choice = await choose(transaction, sources, { known, tenant })
    const isFollowed = queued !== undefined && choice.followed.includes(queued)
    // Decision: an expectation with an impossible outcome is used up too; otherwise every later
    // request would also be refused.
    const problem = choice.refused?.source === queued ? choice.refused?.refusal.message : undefined
    if (!(await queue.settle(match, { isFollowed, problem, call }))) continue
    if (choice.refused) throw choice.refused.refusal
    return choice.decision && (isFollowed ? { ...choice.decision, queued } : choice.decision)
  }
}

/**
 * Decides by the form of the choice page only; `undefined` when the form names nothing.
 * @throws Refusal as `decide`
 */
export async function decideByChoice(
  transaction: Transaction,
  choice: NamedDecision,
  tenant: Tenant,
): Promise<Decision | undefined> {
  const { decision, refused } = await choose(
    transaction,
    [{ source: 'the choice page', ...choice }],
    { tenant },
  )
  if (refused) throw refused.refusal
  return decision
}

/**
 * Uses up an expectation for a request that has already ended: a `request_uri` that really expired
 * fulfils an expectation of `request_uri.expired`.
 */
export async function decideEnded(
  call: ReceivedCall,
  tenant: Tenant,
): Promise<Decision | undefined> {
  const outcome = findOutcome(call.flow, call.endedAs ?? '')
  if (!outcome) return undefined
  const { queue } = tenant
  for (;;) {
    const match = await queue.match(call)
    const { decision: queued } = match
    const isSettled = await queue.settle(match, { isFollowed: queued !== undefined, call })
    if (!queued) return undefined
    if (isSettled)
      return {
        persona: undefined,
        outcome,
        laterOutcome: undefined,
        decidedBy: queued.source,
        queued,
      }
  }
}

/**
 * Runs clock steps that follow in the scenario. An unreachable store does not prevent the answer to
 * the request.
 */
export async function runClockSteps({ queued }: Decision, { queue }: Tenant): Promise<void> {
  if (queued?.scenario) await queue.runClockSteps().catch(unlessUnavailable)
}

/**
 * The result of asking all sources: a decision and the sources that it follows, or the source whose
 * decision is impossible.
 */
interface Choice {
  readonly decision?: Decision | undefined
  readonly followed: readonly (DecisionSource | undefined)[]
  readonly refused?: { readonly source: DecisionSource; readonly refusal: Refusal }
}

/** Personas that were already looked up, and the tenant that has the others. */
interface Known {
  readonly known?: readonly Persona[] | undefined
  readonly tenant: Tenant
}

async function choose(
  transaction: Transaction,
  sources: readonly DecisionSource[],
  known: Known,
): Promise<Choice> {
  const byPersona = sources.find(({ persona }) => persona !== undefined)
  const byOutcome = sources.find(({ outcome }) => outcome !== undefined)
  const followed = [byPersona, byOutcome]
  const decidedBy = sourceText(byPersona, byOutcome)
  let asking = byPersona
  try {
    const persona =
      byPersona && (await findPersona(byPersona.persona ?? '', byPersona.source, known))
    if (!byOutcome) {
      const outcome = usualOutcome(transaction.flow)
      return {
        decision: persona && { persona, outcome, laterOutcome: undefined, decidedBy },
        followed,
      }
    }
    asking = byOutcome
    const decision = await chooseOutcome(transaction, byOutcome, { persona, decidedBy, ...known })
    return { decision, followed }
  } catch (error) {
    if (!asking || !(error instanceof Refusal) || isUnavailable(error)) throw error
    return { followed: [], refused: { source: asking, refusal: error } }
  }
}

/** @throws Refusal for an unknown name */
const findPersona = async (name: string, source: string, { known = [], tenant }: Known) =>
  known.find((persona) => persona.name === name) ??
  requirePersona(name, { personas: tenant.personas, source })

/**
 * Decides by a named outcome.
 * @throws Refusal for an outcome that the request or the persona cannot have
 */
async function chooseOutcome(
  transaction: Transaction,
  { source, outcome: name = '' }: DecisionSource,
  {
    persona,
    decidedBy,
    ...known
  }: Known & { readonly persona: Persona | undefined; readonly decidedBy: string },
): Promise<Decision> {
  const { tenant } = known
  const { flow } = transaction
  const possible = await requirePossibleOutcome(transaction, name, { source, tenant })
  const { outcome: named, earlier } = possible
  const isOwn = named.flow === flow
  const outcome = isOwn ? named : outcomeBefore(named, flow)
  const isFallback = !persona && needsPersona(outcome)
  const holder = isFallback
    ? await findPersona(FALLBACK_PERSONAS[flow], 'the persona when none is named', known)
    : persona
  const fitting = { source, transaction, tenant }
  await requireFittingPersona({ ...outcome, name: named.name }, holder, fitting)
  return {
    persona: holder,
    outcome,
    laterOutcome: isOwn ? undefined : named,
    decidedBy:
      isFallback && holder
        ? `${decidedBy}; persona ${holder.name}, because none is named`
        : decidedBy,
    earlier,
  }
}

/** The outcome of a flow when the request names only a persona. */
const usualOutcome = (flow: Transaction['flow']): Outcome =>
  ownOutcome(flow, flow === 'use' ? 'verified' : 'created')

/**
 * The outcome of a Use request when the requested outcome belongs to a later call. Decision: if
 * that call needs a code, a code is issued whatever the persona holds; otherwise the call could not
 * happen.
 */
const outcomeBefore = (later: Outcome, flow: Transaction['flow']): Outcome =>
  followsCode(later.flow) ? ownOutcome(flow, 'code_issued') : usualOutcome(flow)

function ownOutcome(flow: Transaction['flow'], name: string): Outcome {
  const outcome = findOutcome(flow, name)
  if (!outcome) throw new Error(`the catalogue has no outcome ${name} of the ${flow} flow`)
  return outcome
}

/** Whether the ending shows or changes an age key. */
const needsPersona = ({ ending }: Outcome): boolean =>
  ending === undefined || ending.kind === 'verified' || ending.kind === 'created'

/**
 * Names the sources: `query parameter sandbox_persona; outcome by expectation e3 (now used up)`.
 */
function sourceText(byPersona: DecisionSource | undefined, byOutcome = byPersona): string {
  const persona = byPersona?.source
  const outcome = byOutcome?.source ?? ''
  return persona === undefined || persona === outcome
    ? outcome
    : `${persona}; outcome by ${outcome}`
}

/** An outcome that is forced on a server-to-server call. */
export interface ForcedOutcome {
  readonly outcome: Outcome
  /** The source of the outcome: a query parameter, a header, an expectation. */
  readonly source: string
  readonly queued: QueuedDecision | undefined
  /**
   * Records whether the outcome was applied, which uses up the expectation. Returns `false` when a
   * concurrent call used the expectation up first.
   */
  settle(isFollowed: boolean): Awaitable<boolean>
}

/**
 * Decides a server-to-server call; `undefined` when no outcome is forced.
 * @throws Refusal for an unknown name
 */
export const decideServerCall = (
  call: ReceivedCall,
  { requested, tenant }: { requested: RequestedDecision; tenant: Tenant },
): Awaitable<ForcedOutcome | undefined> =>
  whenThere(tenant.queue.match(call), (match) => {
    const { decision: queued } = match
    const settle = (isFollowed: boolean) => tenant.queue.settle(match, { isFollowed, call })
    const by = sourcesOf(call, { requested, queued, tenant }).find(
      ({ outcome }) => outcome !== undefined,
    )
    const isQueued = by !== undefined && by === queued
    return whenThere(isQueued || settle(false), () => {
      if (by?.outcome === undefined) return undefined
      const outcome = requireOutcome(call.flow, by.outcome, by.source)
      return isQueued
        ? { outcome, source: by.source, queued, settle }
        : { outcome, source: by.source, queued: undefined, settle: () => true }
    })
  })
