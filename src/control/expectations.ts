import { checkExpectation } from '../sandbox/decision/expectations.ts'
import type { expectationOperations } from './contract/expectations.ts'
import type { Handlers } from './handler.ts'

export const expectationHandlers: Pick<Handlers, keyof typeof expectationOperations> = {
  listExpectations: async ({ tenant }) => ({ status: 200, body: { expectations: await tenant.expectations.list() } }),
  async addExpectation({ tenant, body }) {
    await checkExpectation(body, tenant)
    return { status: 201, body: await tenant.expectations.add(body) }
  },
  async clearExpectations({ tenant }) {
    await tenant.expectations.clear()
    return { status: 204 }
  },
}
