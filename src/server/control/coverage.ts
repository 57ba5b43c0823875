import { currentCoverage } from '../../sandbox/coverage/describe-coverage.ts'
import type { coverageOperations } from './contract/coverage.ts'
import type { Handlers } from './handler.ts'

export const coverageHandlers: Pick<Handlers, keyof typeof coverageOperations> = {
  getCoverage: async ({ tenant }) => ({ status: 200, body: await currentCoverage(tenant) }),
  async clearCoverage({ tenant }) {
    await tenant.journal.seen.clear(tenant.name)
    return { status: 204 }
  },
}
