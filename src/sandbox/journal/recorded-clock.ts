import * as z from 'zod'
import type { SandboxClock } from '../clock/clock.ts'

/** How the clock of the tenant was moved when a call came. */
export const recordedClockSchema = z.object({
  /** From which relative dates counted, ISO 8601: the instant of the last `set`, or at which real time was frozen. */
  base: z.string().optional(),
  advanced_seconds: z.number().optional(),
  frozen: z.literal(true).optional(),
})

export type RecordedClock = Readonly<z.infer<typeof recordedClockSchema>>

/** `undefined` for a clock in real time: nearly every call has it, and records nothing. */
export function recordedClock(clock: Pick<SandboxClock, 'remember' | 'base'>): RecordedClock | undefined {
  const { set, frozenAt, advancedMs } = clock.remember()
  const isFrozen = frozenAt !== undefined
  if (set === undefined && !isFrozen && advancedMs === 0) return undefined
  return {
    ...((set || isFrozen) && { base: new Date(clock.base()).toISOString() }),
    ...(advancedMs !== 0 && { advanced_seconds: advancedMs / 1000 }),
    ...(isFrozen && { frozen: true }),
  }
}
