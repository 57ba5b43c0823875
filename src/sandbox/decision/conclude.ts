import type { Callback, Seams } from '../../service/oidc/callback.ts'
import {
  type CreateDecision,
  type CreateTransaction,
  finishCreate,
} from '../../service/oidc/create.ts'
import {
  finishUse,
  type UseDecision,
  type UseEvaluation,
  type UseTransaction,
} from '../../service/oidc/use.ts'
import { seamsOf } from '../outcomes/apply-changes.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Ending, Outcome } from '../outcomes/outcome.ts'
import { createTamperTools } from '../outcomes/tamper-tools.ts'
import { UNSAVED_AGE_KEY } from '../personas/age-keys.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { Decision } from './decide.ts'

/** How an authorization request ended. `callback` is absent when the user closed the window. */
export interface Conclusion {
  readonly callback: Callback | undefined
  /** Only for a verified Use flow. */
  readonly evaluation: UseEvaluation | undefined
  /**
   * The decided outcome. For a persona without an age key, the ending that was possible instead.
   */
  readonly outcome: Outcome
  /**
   * The persona that holds the saved age key. With the outcome `created_new` it is a new persona.
   */
  readonly holder?: string | undefined
  /** Whether the age key was not saved. */
  readonly isUnsaved?: boolean
  /** The ids of the traps in the callback. */
  readonly traps: readonly string[]
}

/**
 * Carries out a decision. The outcome says how the flow ends; readings, then the outcome, change
 * the answer.
 * @param options.saves `false` if the browser cannot create a passkey, or in an audit: Create and
 * Upgrade change no age key
 */
export async function conclude(
  transaction: UseTransaction | CreateTransaction,
  decision: Decision,
  { tenant, saves = true }: { tenant: Tenant; saves?: boolean },
): Promise<Conclusion> {
  const { outcome, earlier } = decision
  const { changes: readings } = tenant.readings
  const changes = outcome.apply ? [...readings, outcome] : readings
  const { flow } = transaction
  const context = { transaction: flow === 'use' ? transaction : undefined, earlier }
  const tools = changes.length === 0 ? undefined : createTamperTools(tenant, context)
  const seams = tools && seamsOf({ flow, changes, tools }, readings)
  const concluding = { decision, tenant, seams, saves }
  const conclusion =
    transaction.flow === 'use'
      ? await concludeUse(transaction, concluding)
      : await concludeCreate(transaction, concluding)
  return {
    outcome,
    callback: undefined,
    evaluation: undefined,
    ...conclusion,
    traps: tools?.traps ?? [],
  }
}

interface Concluding {
  readonly decision: Decision
  readonly tenant: Tenant
  readonly seams: Seams | undefined
  readonly saves: boolean
}

async function concludeCreate(
  transaction: CreateTransaction,
  { decision: { outcome, persona }, tenant: { provider }, seams, saves }: Concluding,
): Promise<Partial<Conclusion>> {
  const { ending } = outcome
  if (ending?.kind === 'no_answer') return {}
  const decision: CreateDecision =
    ending?.kind === 'error'
      ? ending
      : { kind: 'created', holder: ending?.kind === 'created_new' ? undefined : persona?.name }
  const finished = await finishCreate(transaction, decision, { provider, seams, saves })
  return { ...finished, isUnsaved: decision.kind === 'created' && !saves }
}

async function concludeUse(
  transaction: UseTransaction,
  concluding: Concluding,
): Promise<Partial<Conclusion>> {
  const { outcome } = concluding.decision
  const useDecision = await useDecisionOf(
    outcome.ending ?? { kind: 'verified' },
    transaction,
    concluding,
  )
  if (!useDecision) return {}
  const { provider } = concluding.tenant
  const { callback, evaluation } = await finishUse(transaction, useDecision, {
    provider,
    seams: concluding.seams,
  })
  return { callback, evaluation, outcome: outcomeHad(outcome, useDecision) }
}

function outcomeHad(decided: Outcome, decision: UseDecision): Outcome {
  if (decided.name !== 'verified' || decision.kind === 'verified') return decided
  return findOutcome('use', decision.kind === 'error' ? decision.error : decision.kind) ?? decided
}

async function useDecisionOf(
  ending: Ending,
  { canCreate }: UseTransaction,
  { decision, tenant, saves }: Concluding,
): Promise<UseDecision | undefined> {
  if (ending.kind === 'error' || ending.kind === 'create_requested') return ending
  if (ending.kind === 'no_answer') return undefined
  const held = decision.persona && (await tenant.personas.ageKeyOf(decision.persona))
  if (held) {
    const ageKey = saves ? held : { ...held, id: UNSAVED_AGE_KEY }
    // Without signals every threshold is false. The code still names the age key that Upgrade
    // changes.
    const isEmptied = ending.kind === 'verified' && ending.allFalse
    return { kind: 'verified', ageKey: isEmptied ? { ...ageKey, signals: [] } : ageKey }
  }
  // Decision: a user without an age key can only create one or leave.
  if (canCreate) return { kind: 'create_requested' }
  return { kind: 'error', error: 'access_denied', description: 'the user has no age key' }
}
