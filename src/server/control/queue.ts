import type { JournalEvent } from '../../sandbox/journal/journal.ts'
import { checkExpectation } from '../../sandbox/queue/expectation.ts'
import { progressOf } from '../../sandbox/queue/queued.ts'
import { checkScenario } from '../../sandbox/queue/scenario-schema.ts'
import type { Tenant } from '../../sandbox/tenants/tenant.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { readPageAfter } from '../http/list-page.ts'
import type { expectationOperations, scenarioOperations } from './contract/queue.ts'
import type { Handlers } from './handler.ts'
import { waitFor } from './wait-for.ts'

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
    if (!(await tenant.expectations.remove(id)))
      throw noneWith('expectation', id, 'one that was used up is gone, too')
    return { status: 204 }
  },
  async clearExpectations({ tenant }) {
    await tenant.expectations.clear()
    return { status: 204 }
  },
}

export const scenarioHandlers: Pick<Handlers, keyof typeof scenarioOperations> = {
  async listScenarios({ tenant, query }) {
    const { items, next } = await readPageAfter(await tenant.scenarios.list(), query, {
      idOf: ({ id }) => id,
      show: progressOf,
    })
    return { status: 200, body: { scenarios: items, next } }
  },
  async armScenario({ tenant, body }) {
    await checkScenario(body, tenant)
    if (body.personas) await tenant.personas.putAll(body.personas)
    return { status: 201, body: await tenant.scenarios.arm(body) }
  },
  async getScenario({ tenant, params: { id }, query, signal }) {
    const { scenarios, journal, name } = tenant
    const seen = query.after ?? (await scenarios.find(id))?.revision
    // The wait also ends when the scenario is removed.
    const look = async () => {
      const progress = await scenarios.find(id)
      const isNews = progress?.status !== 'running' || progress.revision > (seen ?? -1)
      return isNews ? { progress } : undefined
    }
    const { wait: seconds = 0 } = query
    const isNews = ({ type, data }: JournalEvent) =>
      type === 'reset' || (type === 'scenario' && data['id'] === id)
    await waitFor(journal, { tenant: name, seconds, signal, isNews, look })
    return { status: 200, body: await existing(id, tenant) }
  },
  async removeScenario({ tenant, params }) {
    const { id } = await existing(params.id, tenant)
    await tenant.scenarios.remove(id)
    return { status: 204 }
  },
  async clearScenarios({ tenant }) {
    await tenant.scenarios.clear()
    return { status: 204 }
  },
}

async function existing(id: string, { scenarios }: Tenant) {
  const progress = await scenarios.find(id)
  if (!progress) throw noneWith('scenario', id, 'a reset removes them all')
  return progress
}

export const noneWith = (what: string, id: string, why: string) =>
  Refusal.notFound(`${what}: there is none with the id ${JSON.stringify(id.slice(0, 40))}; ${why}`)
