import type { Callback } from '../../oidc/callback.ts'
import { type CreateDecision, type CreateTransaction, finishCreate } from '../../oidc/create.ts'
import { signingAlgOf } from '../../oidc/id-token.ts'
import type { AgeKey } from '../../oidc/ports.ts'
import type { Seams } from '../../oidc/seams.ts'
import { finishUse, type UseDecision, type UseEvaluation, type UseTransaction } from '../../oidc/use.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Ending, Outcome } from '../outcomes/outcome.ts'
import { createTamperTools, type TamperTools } from '../outcomes/tamper-tools.ts'
import { UNSAVED_AGE_KEY } from '../personas/age-keys.ts'
import { seamsOfReadings } from '../readings/active-readings.ts'
import type { Tenant } from '../tenants/tenant.ts'
import type { Decision } from './decide.ts'

/** How an authorization request ended; without a callback the user closed the window. */
export interface Conclusion {
  readonly callback: Callback | undefined
  /** Only of a verified Use flow. */
  readonly evaluation: UseEvaluation | undefined
  /** The one that was decided or, for a persona without an age key, the only ending possible for it. */
  readonly outcome: Outcome
  /** An age key was to be saved, and was not. */
  readonly isUnsaved?: boolean
  /** The ids of the traps that the callback leads to. */
  readonly traps: readonly string[]
}

/**
 * Carries out a decision: ends the flow as the outcome's row says and applies its seam.
 * @param options.saves `false` where no passkey can be made, or in an audit: Create and Upgrade then change no age key
 */
export async function conclude(
  transaction: UseTransaction | CreateTransaction,
  decision: Decision,
  { tenant, saves = true }: { tenant: Tenant; saves?: boolean },
): Promise<Conclusion> {
  const { outcome } = decision
  const { effects } = tenant.readings
  const tools = outcome.apply || effects.length > 0 ? toolsFor(transaction, decision, tenant) : undefined
  const forced = tools && outcome.apply ? seamsOf(outcome, tools) : {}
  const seams = tools && effects.length > 0 ? inTurn(honestSeams(transaction, { tenant, tools }), forced) : forced
  const conclusion =
    transaction.flow === 'use'
      ? await concludeUse(transaction, decision, { tenant, seams, saves })
      : await concludeCreate(transaction, decision, { tenant, seams, saves })
  return { ...conclusion, traps: tools?.traps ?? [] }
}

async function concludeCreate(
  transaction: CreateTransaction,
  decision: Decision,
  { tenant: { provider }, seams, saves }: { tenant: Tenant; seams: Seams; saves: boolean },
): Promise<Omit<Conclusion, 'traps'>> {
  const { outcome } = decision
  const createDecision = createDecisionOf(outcome.ending ?? { kind: 'created' }, decision)
  if (!createDecision) return { callback: undefined, evaluation: undefined, outcome }
  const { callback } = await finishCreate(transaction, createDecision, { provider, seams, saves })
  const isUnsaved = createDecision.kind === 'created' && !saves
  return { callback, evaluation: undefined, outcome, isUnsaved }
}

async function concludeUse(
  transaction: UseTransaction,
  decision: Decision,
  { tenant, seams, saves }: { tenant: Tenant; seams: Seams; saves: boolean },
): Promise<Omit<Conclusion, 'traps'>> {
  const { provider } = tenant
  const ending = decision.outcome.ending ?? { kind: 'verified' }
  const useDecision = await useDecisionOf(ending, { transaction, decision, tenant, saves })
  if (!useDecision) return { callback: undefined, evaluation: undefined, outcome: decision.outcome }
  const { callback, evaluation } = await finishUse(transaction, useDecision, { provider, seams })
  return { callback, evaluation, outcome: outcomeHad(decision.outcome, useDecision) }
}

function outcomeHad(decided: Outcome, decision: UseDecision): Outcome {
  if (decided.name !== 'verified' || decision.kind === 'verified') return decided
  return findOutcome('use', decision.kind === 'error' ? decision.error : decision.kind) ?? decided
}

function toolsFor(transaction: UseTransaction | CreateTransaction, { earlier }: Decision, tenant: Tenant): TamperTools {
  const { provider, clients, settings } = tenant
  return createTamperTools({
    provider,
    clients,
    settings,
    get keys() {
      return tenant.keys.withAlg(signingAlgOf(transaction.clientId, provider))
    },
    rotateKeys: tenant.rotateKeys,
    transaction: transaction.flow === 'use' ? transaction : undefined,
    earlier,
  })
}

const honestSeams = ({ flow }: { flow: 'use' | 'create' }, { tenant, tools }: { tenant: Tenant; tools: TamperTools }) =>
  seamsOfReadings(tenant.readings, { flow, provider: tenant.provider, tools })

/** The honest answer as the readings have it, changed by what is forced. */
const inTurn = (honest: Seams, forced: Seams): Seams => ({
  claims: (claims) => both(honest.claims?.(claims) ?? claims, forced.claims),
  token: async (idToken) => both((await honest.token?.(idToken)) ?? idToken, forced.token),
  callback: async (callback) => both((await honest.callback?.(callback)) ?? callback, forced.callback),
  ...(honest.refusal && { refusal: honest.refusal }),
})

const both = <Value, Changed>(value: Value, change: ((value: Value) => Changed) | undefined) => change?.(value) ?? value

function seamsOf(outcome: Outcome, tools: TamperTools): Seams {
  switch (outcome.seam) {
    case 'claims':
      return { claims: (claims) => outcome.apply(claims, tools) }
    case 'token':
      return { token: (idToken) => outcome.apply(idToken, tools) }
    case 'callback':
      return { callback: (callback) => outcome.apply?.(callback, tools) ?? callback }
    case 'reply':
      return {}
  }
}

async function useDecisionOf(
  ending: Ending,
  {
    transaction,
    decision,
    tenant,
    saves,
  }: { transaction: UseTransaction; decision: Decision; tenant: Tenant; saves: boolean },
): Promise<UseDecision | undefined> {
  switch (ending.kind) {
    case 'create_requested':
    case 'error':
      return ending
    case 'no_answer':
      return undefined
    case 'verified':
    case 'created':
    case 'created_new': {
      const held = decision.persona && (await tenant.personas.ageKeyOf(decision.persona))
      if (held) {
        const ageKey = saves ? held : { ...held, id: UNSAVED_AGE_KEY }
        return { kind: 'verified', ageKey: ending.kind === 'verified' && ending.allFalse ? emptied(ageKey) : ageKey }
      }
      // Decision: a persona without an age key can only create one, or leave.
      if (transaction.canCreate) return { kind: 'create_requested' }
      return { kind: 'error', error: 'access_denied', description: 'the user has no age key' }
    }
  }
}

/** Nothing satisfies a threshold, and the code still names the age key to upgrade. */
const emptied = ({ id }: AgeKey): AgeKey => ({ id, signals: [] })

function createDecisionOf(ending: Ending, { persona }: Decision): CreateDecision | undefined {
  switch (ending.kind) {
    case 'error':
      return ending
    case 'no_answer':
      return undefined
    case 'created_new':
      return { kind: 'created', holder: undefined }
    case 'created':
    case 'verified':
    case 'create_requested':
      return { kind: 'created', holder: persona?.name }
  }
}
