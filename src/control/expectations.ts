import * as z from 'zod'
import { json, noContent } from '../http/reply.ts'
import { checkExpectation, newExpectationSchema } from '../sandbox/decision/expectations.ts'
import { controlRoute } from './control-route.ts'
import { expectationShape } from './shapes.ts'

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
    body: newExpectationSchema,
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
