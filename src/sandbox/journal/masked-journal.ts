import type { Mask } from '../clients/mask.ts'
import type { Journal } from './journal.ts'
import { adviseOnRepeats } from './repeated-values.ts'

/** The journal as a tenant shows it: without secrets; a single flow has advice too. @param mask called at each reading */
export function maskedJournal(journal: Journal, mask: () => Mask): Journal {
  async function* masked<Item>(items: AsyncIterable<Item>) {
    for await (const item of items) yield mask()(item)
  }
  return {
    ...journal,
    list: (tenant, filter) => masked(journal.list(tenant, filter)),
    listEnded: (tenant, since, filter) => masked(journal.listEnded(tenant, since, filter)),
    async find(tenant, id) {
      const flow = await journal.find(tenant, id)
      return flow && mask()(await adviseOnRepeats(flow, journal))
    },
  }
}
