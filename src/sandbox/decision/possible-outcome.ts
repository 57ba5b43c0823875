import type { CreateTransaction } from '../../oidc/create.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Need, Outcome } from '../outcomes/outcome.ts'
import { requireOutcome } from './names.ts'

type Transaction = UseTransaction | CreateTransaction

/** Why this request cannot have the outcome, or `undefined`. */
export function impossibility(outcome: Outcome, transaction: Transaction): string | undefined {
  const unmet = outcome.needs?.find((need) => !meets(transaction, need))
  return unmet && `${outcome.name} is not possible here: ${UNMET[unmet]}`
}

const UNMET: Readonly<Record<Need, string>> = {
  can_create: 'the request did not send can_create=true; send it, or choose another outcome',
  no_can_create:
    'the request sent can_create=true, which makes this answer a legal one; leave it out, or choose another outcome',
  upgrade_scope: 'the request did not ask for the upgrade scope; add it to scope, or choose another outcome',
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

/** How a flow ends when only a persona is named. */
export function usualOutcome(flow: Transaction['flow']): Outcome {
  const outcome = findOutcome(flow, flow === 'use' ? 'verified' : 'created')
  if (!outcome) throw new Error(`the catalogue has no usual outcome of the ${flow} flow`)
  return outcome
}

/** Whether the ending shows or changes an age key. */
export const needsPersona = ({ ending }: Outcome): boolean =>
  ending === undefined || ending.kind === 'verified' || ending.kind === 'created'

/** @throws Refusal for an unknown name and for an outcome that this request cannot have */
export function requirePossibleOutcome(transaction: Transaction, name: string, source: string): Outcome {
  const outcome = requireOutcome(transaction.flow, name, source)
  const impossible = impossibility(outcome, transaction)
  if (!impossible) return outcome
  throw Refusal.invalidRequest(`${source}: ${impossible}.`, { title: 'This test decision is not possible' })
}
