import { currentCoverage } from '../../sandbox/coverage/describe-coverage.ts'
import type { coverageOperations } from './contract/coverage.ts'
import type { Handlers } from './handler.ts'

export const coverageHandlers: Pick<Handlers, keyof typeof coverageOperations> = {
  getCoverage: async ({ tenant }) => ({ status: 200, body: await currentCoverage(tenant) }),
  clearCoverage({ tenant }) {
    tenant.coverage.clear()
    return { status: 204 }
  },
  nameCoverageTest({ tenant, body }) {
    tenant.coverage.name(body.name ?? undefined)
    return { status: 204 }
  },
}
