import { Refusal } from '../oidc/refusal.ts'
import { checkExpectation } from '../sandbox/queue/expectation.ts'
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
  async removeExpectation({ tenant, params: { id } }) {
    if (await tenant.expectations.remove(id)) return { status: 204 }
    const shown = JSON.stringify(id.slice(0, 40))
    throw Refusal.notFound(`expectation: there is none with the id ${shown}; one that was used up is gone, too`)
  },
  async clearExpectations({ tenant }) {
    await tenant.expectations.clear()
    return { status: 204 }
  },
}
