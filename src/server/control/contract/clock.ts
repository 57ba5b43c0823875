import { clockMoveSchema, clockStateSchema } from '../../../sandbox/clock/clock.ts'
import { type Operation, POST, READ } from './operation.ts'

/** The clock of a tenant. */
export const clockSchema = clockStateSchema.meta({ id: 'Clock' })

export const clockOperations = {
  getClock: {
    ...READ,
    path: '/clock',
    summary: 'The clock: every lifetime and every age is judged by it',
    result: clockSchema,
  },
  moveClock: {
    ...POST,
    path: '/clock',
    summary: 'Moves the clock; members apply in the order reset, set, freeze, advance',
    body: clockMoveSchema,
    result: clockSchema,
  },
} as const satisfies Record<string, Operation>
