import * as z from 'zod'
import { formatPath } from '../files/schema-problems.ts'
import { json, noContent } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import { type Scenario, scenarioSchema, unknownPersonas } from '../sandbox/scenarios/scenario-schema.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { controlRoute } from './control-route.ts'
import { scenarioShape } from './shapes.ts'
import { LONGEST_WAIT, waitFor } from './wait-for.ts'

const progressQuery = z.strictObject({
  wait: z.coerce
    .number({ error: 'must be a number of seconds' })
    .min(0)
    .max(LONGEST_WAIT)
    .optional()
    .describe('Seconds to wait until the scenario has come further'),
  after: z.coerce
    .number({ error: 'must be the revision that was seen last' })
    .int({ error: 'must be the revision that was seen last' })
    .optional()
    .describe('Further than this revision; than the present one when absent'),
})

export const scenarioRoutes = [
  controlRoute({
    method: 'get',
    path: '/scenarios',
    operationId: 'listScenarios',
    summary: 'Every scenario that was armed, and how far each has come',
    responses: { 200: z.object({ scenarios: z.array(scenarioShape) }) },
    handle: async ({ tenant }) => json(200, { scenarios: await tenant.scenarios.list() }),
  }),
  controlRoute({
    method: 'post',
    path: '/scenarios',
    operationId: 'armScenario',
    summary: 'Arms a scenario: from now on it looks at every request',
    body: scenarioSchema,
    responses: { 201: scenarioShape },
    async handle({ tenant, body }) {
      await checkNames(body, tenant)
      return json(201, await tenant.scenarios.arm(body))
    },
  }),
  controlRoute({
    method: 'get',
    path: '/scenarios/:id',
    operationId: 'getScenario',
    summary: 'How far a scenario has come; with wait as soon as it has come further or has ended',
    query: progressQuery,
    responses: { 200: scenarioShape },
    async handle({ tenant, params, query, signal }) {
      const id = params['id'] ?? ''
      const { scenarios, journal, name } = tenant
      const seen = query.after ?? (await scenarios.find(id))?.revision
      // Gone counts as news: whoever waits must hear of it.
      const look = async () => {
        const progress = await scenarios.find(id)
        const isNews = progress?.status !== 'running' || progress.revision > (seen ?? -1)
        return isNews ? { progress } : undefined
      }
      const { wait: seconds = 0 } = query
      await waitFor(journal, { tenant: name, seconds, signal, events: ['scenario', 'reset'], look })
      return json(200, await existing(id, tenant))
    },
  }),
  controlRoute({
    method: 'delete',
    path: '/scenarios/:id',
    operationId: 'removeScenario',
    summary: 'Removes a scenario, ended or not',
    responses: { 204: undefined },
    async handle({ tenant, params }) {
      await tenant.scenarios.remove((await existing(params['id'] ?? '', tenant)).id)
      return noContent()
    },
  }),
  controlRoute({
    method: 'delete',
    path: '/scenarios',
    operationId: 'clearScenarios',
    summary: 'Removes every scenario',
    responses: { 204: undefined },
    async handle({ tenant }) {
      await tenant.scenarios.clear()
      return noContent()
    },
  }),
]

async function existing(id: string, { scenarios }: Tenant) {
  const progress = await scenarios.find(id)
  if (progress) return progress
  const shown = JSON.stringify(id.slice(0, 40))
  const message = `scenario: there is none with the id ${shown}; a reset removes them all`
  throw Refusal.notFound(message)
}

async function checkNames(scenario: Scenario, tenant: Tenant): Promise<void> {
  const known = (await tenant.personas.list()).map(({ name }) => name)
  const problems = unknownPersonas(scenario, known).map(({ path, message }) => `${formatPath(path)}: ${message}`)
  const { client } = scenario
  if (client !== undefined && !tenant.clients.find(client)) {
    problems.push(
      `client: no client ${JSON.stringify(client)} is registered; declare it in the config, or leave it out`,
    )
  }
  if (problems.length > 0) throw Refusal.invalidRequest(problems.join('; '))
}
