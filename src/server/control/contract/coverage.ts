import { coverageSchema } from '../../../sandbox/coverage/coverage.ts'
import { type Operation, READ, REMOVAL } from './operation.ts'

export const coverageOperations = {
  getCoverage: {
    ...READ,
    path: '/coverage',
    summary:
      'What was delivered to clients, and what is missing; of the root tenant that of all tenants. It survives a reset',
    result: coverageSchema.meta({ id: 'Coverage' }),
  },
  clearCoverage: {
    ...REMOVAL,
    path: '/coverage',
    summary: 'Forgets what was delivered to clients; of the root tenant that of all tenants',
  },
} as const satisfies Record<string, Operation>
