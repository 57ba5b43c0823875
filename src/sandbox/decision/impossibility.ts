import type { CreateTransaction } from '../../oidc/create.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import type { Need, Outcome } from '../outcomes/outcome.ts'

type Transaction = UseTransaction | CreateTransaction

/** Why this request cannot have the outcome, or `undefined`. */
export function impossibility(outcome: Outcome, transaction: Transaction): string | undefined {
  const unmet = outcome.needs?.find((need) => !meets(transaction, need))
  return unmet && `${outcome.name} is not possible here: ${UNMET[unmet]}`
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
