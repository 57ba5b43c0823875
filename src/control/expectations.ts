import { checkExpectation } from '../sandbox/decision/expectations.ts'
import type { expectationOperations } from './contract/expectations.ts'
import type { Handlers } from './handler.ts'
import { readPageAfter } from './page-after.ts'

export const expectationHandlers: Pick<Handlers, keyof typeof expectationOperations> = {
  async listExpectations({ tenant, query }) {
    const { items, next } = await readPageAfter(await tenant.expectations.list(), query, {
      idOf: ({ id }) => id,
      show: (one) => one,
    })
    return { status: 200, body: { expectations: items, next } }
  },
  async addExpectation({ tenant, body }) {
    await checkExpectation(body, tenant)
    return { status: 201, body: await tenant.expectations.add(body) }
  },
  async clearExpectations({ tenant }) {
    await tenant.expectations.clear()
    return { status: 204 }
  },
}
