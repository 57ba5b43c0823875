import * as z from 'zod'
import { json, noContent } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { NewExpectation } from '../sandbox/decision/expectations.ts'
import { requireOutcome, requirePersona } from '../sandbox/decision/names.ts'
import { OUTCOME_FLOWS } from '../sandbox/outcomes/outcome.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { controlRoute } from './control-route.ts'
import { expectationShape, matchShape } from './shapes.ts'

/** A decision for a coming request: first in, first out. */
export const newExpectation = z.strictObject({
  flow: z.enum(OUTCOME_FLOWS),
  persona: z.string().optional(),
  outcome: z.string().optional(),
  match: matchShape.optional().describe('The request must say the same; in Create state is the pushed one'),
  times: z.int().min(1).max(1_000_000).optional().describe('How many requests it decides; 1 when absent'),
})

export const expectationRoutes = [
  controlRoute({
    method: 'get',
    path: '/expectations',
    operationId: 'listExpectations',
    summary: 'Decisions that wait for a request, first in first out',
    responses: { 200: z.object({ expectations: z.array(expectationShape) }) },
    handle: async ({ tenant }) => json(200, { expectations: await tenant.expectations.list() }),
  }),
  controlRoute({
    method: 'post',
    path: '/expectations',
    operationId: 'addExpectation',
    summary: 'Queues a decision for a coming request',
    body: newExpectation,
    responses: { 201: expectationShape },
    async handle({ tenant, body }) {
      await checkExpectation(body, tenant)
      return json(201, await tenant.expectations.add(body))
    },
  }),
  controlRoute({
    method: 'delete',
    path: '/expectations',
    operationId: 'clearExpectations',
    summary: 'Forgets every decision that waits',
    responses: { 204: undefined },
    async handle({ tenant }) {
      await tenant.expectations.clear()
      return noContent()
    },
  }),
]

/** @throws Refusal when it would decide nothing, or names what does not exist. */
export async function checkExpectation({ flow, persona, outcome }: NewExpectation, tenant: Tenant): Promise<void> {
  if (persona === undefined && outcome === undefined)
    throw Refusal.invalidRequest('body: give persona, outcome or both')
  if (persona !== undefined && flow !== 'use' && flow !== 'create') {
    throw Refusal.invalidRequest(`persona: a ${flow} call has no persona; give outcome only`)
  }
  if (persona !== undefined) await requirePersona(persona, { personas: tenant.personas })
  if (outcome !== undefined) requireOutcome(flow, outcome)
}
