import * as z from 'zod'
import { MAX_TEST_NAME } from '../../../sandbox/coverage/counters.ts'
import { coverageSchema } from '../../../sandbox/coverage/coverage.ts'
import { mustBe } from '../../../service/text/schema-problems.ts'
import { type Operation, PUT, READ, REMOVAL } from './operation.ts'

const isName = mustBe(`the name of a test, of 1 to ${MAX_TEST_NAME} characters, or null`)

export const coverageOperations = {
  getCoverage: {
    ...READ,
    path: '/coverage',
    summary:
      'What was delivered to clients by this process, and what is missing; of the root tenant that of all tenants. It survives a reset',
    result: coverageSchema.meta({ id: 'Coverage' }),
  },
  clearCoverage: {
    ...REMOVAL,
    path: '/coverage',
    summary: 'Sets every count of the coverage to 0; of the root tenant those of all tenants',
  },
  nameCoverageTest: {
    ...PUT,
    path: '/coverage/test',
    summary: 'From now on what is delivered is listed under this test, or under none',
    body: z.strictObject({
      name: z
        .string(isName)
        .min(1, isName)
        .max(MAX_TEST_NAME, isName)
        .nullable()
        .describe('null: no test'),
    }),
    statuses: [204],
  },
} as const satisfies Record<string, Operation>
