import type { Tenant } from '../tenants/tenant.ts'
import type { Wish } from './decide.ts'
import type { CallFacts } from './expectations.ts'

/** A wish that somebody queued for a coming request; it is used up only when it decides. */
export interface QueuedWish extends Wish {
  /** `false`: another request was faster. */
  spend(): Promise<boolean>
}

/** The first queued decision that fits a request: an expectation, else a step of a scenario. */
export async function findQueuedWish(
  facts: CallFacts,
  { expectations, scenarios }: Pick<Tenant, 'expectations' | 'scenarios'>,
): Promise<QueuedWish | undefined> {
  const expectation = await expectations.find(facts)
  if (!expectation) return scenarios.wishFor(facts)
  const { id, persona, outcome } = expectation
  return { persona, outcome, source: `expectation ${id}`, spend: () => expectations.spend(id) }
}
