import * as z from 'zod'
import { expectationSchema, newExpectationSchema } from '../../sandbox/queue/expectation.ts'
import { byId, CALL, listQuery, next, type Operation, READ, REMOVAL } from './operation.ts'

const expectation = expectationSchema.meta({ id: 'Expectation' })

export const expectationOperations = {
  listExpectations: {
    ...READ,
    path: '/expectations',
    summary: 'Decisions that wait for a request, first in first out',
    query: listQuery,
    result: z.object({ expectations: z.array(expectation), next }),
  },
  addExpectation: {
    ...CALL,
    method: 'post',
    path: '/expectations',
    summary: 'Queues a decision for a coming request',
    body: newExpectationSchema,
    result: expectation,
    statuses: [201],
  },
  removeExpectation: {
    ...REMOVAL,
    path: '/expectations/:id',
    summary: 'Forgets one decision that waits',
    params: byId,
  },
  clearExpectations: {
    ...REMOVAL,
    path: '/expectations',
    summary: 'Forgets every decision that waits',
  },
} as const satisfies Record<string, Operation>
