import * as z from 'zod'
import type { Clock } from '../../oidc/ports.ts'
import { Refusal } from '../../oidc/refusal.ts'

/** What a clock shows on the control API: instants as ISO 8601 in UTC. */
export const clockStateSchema = z.object({
  now: z.string().describe('ISO 8601 date-time in UTC'),
  base: z.string().describe('The instant from which relative dates count: ISO 8601 date-time in UTC'),
  advanced_seconds: z.number().describe('Since the last set or reset'),
  frozen: z.boolean(),
})

export type ClockState = z.infer<typeof clockStateSchema>

/** The clock of one tenant. All lifetimes and ages are judged by this clock. */
export interface SandboxClock extends Clock {
  /**
   * The instant from which the relative dates of personas count, in epoch milliseconds: real time, or the instant of the
   * last `set`. Advancing does not move it, so a persona grows older only when time is advanced, not while a container runs.
   */
  base(): number
  /** Moves now and base to `instant` (epoch milliseconds) and forgets what was advanced. Stays frozen or running. @throws Refusal */
  set(instant: number): void
  /** Freezes the clock, with a base in real time too; `false` lets both run again. */
  freeze(frozen: boolean): void
  /** Advances the clock by `seconds`, frozen or not. @throws Refusal for a negative number or an instant beyond year 9999 */
  advance(seconds: number): void
  /** Back to real time, running. */
  reset(): void
  state(): ClockState
  /** The state of a moved clock as JSON. A clock that recalls the state shows the same time. */
  remember(): ClockMemory
  recall(memory: ClockMemory): void
}

export const clockMemorySchema = z.object({
  /** The instant of the last `set`, and the real time at which it was called. */
  set: z.object({ instant: z.number(), startedAt: z.number() }).optional(),
  /** The real time at which the clock was frozen. */
  frozenAt: z.number().optional(),
  advancedMs: z.number(),
})

/** The state of a clock. Instants are epoch milliseconds; real time is that of the machine. */
export type ClockMemory = Readonly<z.infer<typeof clockMemorySchema>>

/** The state of a clock that was never moved. */
export const UNMOVED: ClockMemory = { advancedMs: 0 }

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** Creates a clock in real time. `systemNow` gives real time in epoch milliseconds; no other file reads the system clock. */
export function createClock({ systemNow = Date.now }: { readonly systemNow?: () => number } = {}): SandboxClock {
  let { set, frozenAt, advancedMs } = UNMOVED

  const realTime = () => frozenAt ?? systemNow()
  const baseAt = (real: number) => set?.instant ?? real
  const elapsedAt = (real: number) => (set === undefined ? 0 : real - set.startedAt)
  // A clock that was set near the end of the calendar keeps running; ISO dates need a year of four digits.
  const nowAt = (real: number) => Math.min(baseAt(real) + elapsedAt(real) + advancedMs, LATEST)

  const recall = (memory: ClockMemory) => {
    set = memory.set
    frozenAt = memory.frozenAt
    advancedMs = memory.advancedMs
  }

  return {
    now: () => nowAt(realTime()),
    base: () => baseAt(realTime()),
    set(exact) {
      const instant = Math.floor(exact)
      if (!(instant >= EARLIEST && instant <= LATEST)) {
        throw Refusal.invalidRequest(
          'set: the instant is outside the years 0001 to 9999; give an ISO 8601 date-time within them',
        )
      }
      set = { instant, startedAt: realTime() }
      advancedMs = 0
    },
    freeze(frozen) {
      if (frozen) {
        frozenAt = realTime()
        return
      }
      // A clock that was set continues where it stopped; a clock in real time returns to real time.
      if (set !== undefined) set = { instant: set.instant, startedAt: set.startedAt + systemNow() - realTime() }
      frozenAt = undefined
    },
    advance(seconds) {
      if (!(seconds >= 0)) {
        throw Refusal.invalidRequest(
          `advance: ${seconds} is no number of seconds from 0 up; to go back in time, use set or reset`,
        )
      }
      const advanced = advancedMs + Math.round(seconds * 1000)
      const real = realTime()
      if (baseAt(real) + elapsedAt(real) + advanced > LATEST) {
        throw Refusal.invalidRequest(`advance: ${seconds} seconds would pass the end of the year 9999; advance by less`)
      }
      advancedMs = advanced
    },
    reset: () => recall(UNMOVED),
    remember: () => ({ set, frozenAt, advancedMs }),
    recall,
    state() {
      const real = realTime()
      return {
        now: new Date(nowAt(real)).toISOString(),
        base: new Date(baseAt(real)).toISOString(),
        advanced_seconds: advancedMs / 1000,
        frozen: frozenAt !== undefined,
      }
    },
  }
}

/** How the tenant's clock differed from real time when a call came. */
export const recordedClockSchema = z.object({
  /** The base of relative dates, ISO 8601: the instant of the last `set`, or of freezing a clock in real time. */
  base: z.string().optional(),
  advanced_seconds: z.number().optional(),
  frozen: z.literal(true).optional(),
})

export type RecordedClock = Readonly<z.infer<typeof recordedClockSchema>>

/** `undefined` for a clock in real time, so that most calls record nothing. */
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

/** Starts a stopwatch in real time, which no sandbox clock moves. The result gives the milliseconds since the start. */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => performance.now() - startedAt
}

/** The state of a clock, as the store keeps it. */
export const clockPart = (clock: SandboxClock) => ({
  name: 'clock',
  schema: clockMemorySchema,
  apply: (memory: ClockMemory = UNMOVED) => clock.recall(memory),
})
