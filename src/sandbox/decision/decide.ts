import type { CreateTransaction } from '../../oidc/create.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Need, Outcome, OutcomeFlow } from '../outcomes/outcome.ts'
import type { Persona } from '../personas/persona-schema.ts'
import type { Personas } from '../personas/personas.ts'
import { requireOutcome, requirePersona } from './names.ts'

/** The persona that stands in when an outcome needs one and none was named. */
export const FALLBACK_PERSONA = 'adult-passport'

/** What one source says about who decides; a source may name a persona, an outcome, both or nothing. */
export interface Wish {
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
  /** For messages: `sandbox_persona`, `the client's persona`. */
  readonly source: string
}

/** Persona and outcome for one authorization request. */
export interface Decision {
  readonly persona: Persona | undefined
  readonly outcome: Outcome
  /** The outcome that was wished belongs to a later server-to-server call of the client. */
  readonly later: Outcome | undefined
  /** The wishes that were followed. */
  readonly by: readonly Wish[]
}

type Transaction = UseTransaction | CreateTransaction

/**
 * Settles persona and outcome: each comes from the first wish that names one. `undefined` when no wish names anything:
 * then the choice page asks.
 * @throws Refusal for unknown names and impossible outcomes.
 */
export async function decide(
  transaction: Transaction,
  wishes: readonly Wish[],
  personas: Personas,
): Promise<Decision | undefined> {
  const personaWish = wishes.find((wish) => wish.persona !== undefined)
  const outcomeWish = wishes.find((wish) => wish.outcome !== undefined)
  if (!personaWish && !outcomeWish) return undefined
  const persona =
    personaWish && (await requirePersona(personaWish.persona ?? '', { personas, source: personaWish.source }))
  const wished = outcomeWish && findPossibleOutcome(transaction, outcomeWish.outcome ?? '', outcomeWish.source)
  const isOwn = wished?.flow === transaction.flow
  const outcome = wished && isOwn ? wished : usualOutcome(transaction.flow)
  const named =
    persona ??
    (needsPersona(outcome) ? await requirePersona(FALLBACK_PERSONA, { personas, source: 'the fallback' }) : undefined)
  const by = [personaWish, outcomeWish].filter((wish) => wish !== undefined)
  return { persona: named, outcome, later: isOwn ? undefined : wished, by }
}

/**
 * Checks every name that a request says itself, also those that another one outvotes.
 * @throws Refusal for a name that nothing has.
 */
export async function checkNames(
  flow: Transaction['flow'],
  wishes: readonly Wish[],
  personas: Personas,
): Promise<void> {
  for (const { persona, outcome, source } of wishes) {
    if (persona !== undefined) await requirePersona(persona, { personas, source })
    if (outcome !== undefined) requireOutcome(flow, outcome, source)
  }
}

/** Why this request cannot have the outcome, or `undefined`. */
export function impossibility(outcome: Outcome, transaction: Transaction): string | undefined {
  const unmet = outcome.needs?.find((need) => !meets(transaction, need))
  return unmet && `${outcome.name} is not possible here: ${UNMET[unmet]}`
}

function usualOutcome(flow: Transaction['flow']): Outcome {
  const outcome = findOutcome(flow, flow === 'use' ? 'verified' : 'created')
  if (!outcome) throw new Error(`the catalogue has no usual outcome of the ${flow} flow`)
  return outcome
}

const UNMET: Readonly<Record<Need, string>> = {
  can_create: 'the request did not send can_create=true',
  no_can_create: 'the request sent can_create=true, so that this answer is a legal one',
  upgrade_scope: 'the request did not ask for the upgrade scope',
}

function meets(transaction: Transaction, need: Need): boolean {
  if (transaction.flow !== 'use') return true
  switch (need) {
    case 'can_create':
      return transaction.canCreate
    case 'no_can_create':
      return !transaction.canCreate
    case 'upgrade_scope':
      return transaction.upgrade
  }
}

/** Whether the ending shows or changes what somebody holds. */
function needsPersona({ ending }: Outcome): boolean {
  return ending === undefined || ending.kind === 'verified' || ending.kind === 'created'
}

function findPossibleOutcome(transaction: Transaction, name: string, source: string): Outcome {
  const outcome = requireOutcome(transaction.flow, name, source)
  const impossible = impossibility(outcome, transaction)
  if (impossible)
    throw Refusal.invalidRequest(`${source}: ${impossible}.`, { title: 'This test decision is not possible' })
  return outcome
}

/**
 * The outcome that a server-to-server call was told to have, by the first wish that names one.
 * @throws Refusal for an unknown name.
 */
export function decideServerCall(
  flow: OutcomeFlow,
  wishes: readonly Wish[],
): { outcome: Outcome; by: Wish } | undefined {
  const by = wishes.find((wish) => wish.outcome !== undefined)
  return by && { outcome: requireOutcome(flow, by.outcome ?? '', by.source), by }
}
