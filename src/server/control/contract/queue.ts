import * as z from 'zod'
import { expectationSchema, newExpectationSchema } from '../../../sandbox/queue/expectation.ts'
import { scenarioProgressSchema } from '../../../sandbox/queue/queued.ts'
import { scenarioSchema } from '../../../sandbox/queue/scenario-schema.ts'
import { mustBe } from '../../../service/text/schema-problems.ts'
import {
  byId,
  listQuery,
  next,
  type Operation,
  POST,
  READ,
  REMOVAL,
  waitSeconds,
} from './operation.ts'

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
    ...POST,
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

const progress = scenarioProgressSchema.meta({ id: 'Scenario' })

const isRevision = mustBe('the revision that was seen last, a whole number')

const progressQuery = z.strictObject({
  wait: waitSeconds.describe('Seconds to wait until the scenario has come further'),
  after: z.coerce
    .number<string | number>(isRevision)
    .int(isRevision)
    .optional()
    .describe('Further than this revision; than the present one when absent'),
})

export const scenarioOperations = {
  listScenarios: {
    ...READ,
    path: '/scenarios',
    summary: 'Every scenario that was armed, and how far each has come',
    query: listQuery,
    result: z.object({ scenarios: z.array(progress), next }),
  },
  armScenario: {
    ...POST,
    path: '/scenarios',
    summary: 'Arms a scenario: from now on it looks at every request',
    body: scenarioSchema,
    acceptsYaml: true,
    result: progress,
    statuses: [201],
  },
  getScenario: {
    ...READ,
    path: '/scenarios/:id',
    summary: 'How far a scenario has come; with wait as soon as it has come further or has ended',
    params: byId,
    query: progressQuery,
    result: progress,
  },
  removeScenario: {
    ...REMOVAL,
    path: '/scenarios/:id',
    summary: 'Removes a scenario, ended or not',
    params: byId,
  },
  clearScenarios: { ...REMOVAL, path: '/scenarios', summary: 'Removes every scenario' },
} as const satisfies Record<string, Operation>
