import * as z from 'zod'
import { INSTANT_FORMS, parseInstant } from '../../service/age/calendar.ts'
import type { Clock } from '../../service/oidc/ports.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { mustBe } from '../../service/text/schema-problems.ts'

/** The state of a clock in the shape of the control API. Instants are ISO 8601 in UTC. */
export const clockStateSchema = z.object({
  now: z.string().describe('ISO 8601 date-time in UTC'),
  base: z
    .string()
    .describe('The instant from which relative dates count: ISO 8601 date-time in UTC'),
  advanced_seconds: z.number().describe('Since the last set or reset'),
  frozen: z.boolean(),
})

export type ClockState = z.infer<typeof clockStateSchema>

export const clockMemorySchema = z.object({
  /** The instant of the last `set`, and the real time of that call. */
  set: z.object({ instant: z.number(), startedAt: z.number() }).optional(),
  /** The real time when the clock was frozen. */
  frozenAt: z.number().optional(),
  advancedMs: z.number(),
})

/** The state of a clock. Instants and real time are in milliseconds since the UNIX epoch. */
export type ClockMemory = Readonly<z.infer<typeof clockMemorySchema>>

/** The state of a clock in real time. */
export const UNMOVED: ClockMemory = { advancedMs: 0 }

const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z')
const LATEST = Date.parse('9999-12-31T23:59:59.999Z')

/** The clock of one tenant. All lifetimes and ages use this clock. */
export interface SandboxClock extends Clock {
  /**
   * The base of the relative dates of personas, in milliseconds since the UNIX epoch: real time, or
   * the instant of the last `set`. `advance` does not move the base: a persona ages when time is
   * advanced, but not while a container runs.
   */
  base(): number
  /**
   * Sets time and base to `exact` (milliseconds since the UNIX epoch) and discards what was
   * advanced. A frozen clock stays frozen.
   * @throws Refusal outside the years 0001 to 9999
   */
  set(exact: number): void
  /** Stops the clock, and its base if that is real time; `false` lets both continue. */
  freeze(frozen: boolean): void
  /**
   * Advances the clock by `seconds`, whether it is frozen or not.
   * @throws Refusal for a negative number, and for an instant after the year 9999
   */
  advance(seconds: number): void
  /** Returns to real time, running. */
  reset(): void
  /** The state of the clock as JSON. */
  remember(): ClockMemory
  /** Restores a state: the clock then shows the same time as the clock that the state came from. */
  recall(memory: ClockMemory): void
  /** The state in the shape of the control API. */
  state(): ClockState
}

/**
 * Creates a clock in real time.
 * @param systemNow returns real time in milliseconds since the UNIX epoch; no other file reads the
 * system clock
 */
export function createClock({
  systemNow = Date.now,
}: {
  readonly systemNow?: () => number
} = {}): SandboxClock {
  let { set, frozenAt, advancedMs } = UNMOVED

  const realTime = () => frozenAt ?? systemNow()
  const baseAt = (real: number) => set?.instant ?? real
  const elapsedAt = (real: number) => (set === undefined ? 0 : real - set.startedAt)
  // A running clock may reach the end of the year 9999. ISO dates need a year of four digits.
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
      // A clock that was set continues from where it stopped. Other clocks return to real time.
      if (set !== undefined)
        set = { instant: set.instant, startedAt: set.startedAt + systemNow() - realTime() }
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
        throw Refusal.invalidRequest(
          `advance: ${seconds} seconds would pass the end of the year 9999; advance by less`,
        )
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

/** How the clock of the tenant differed from real time at a call. */
export const recordedClockSchema = z.object({
  /**
   * The base of relative dates as ISO 8601: the instant of the last `set`, or the time of freezing.
   */
  base: z.string().optional(),
  advanced_seconds: z.number().optional(),
  frozen: z.literal(true).optional(),
})

/** `undefined` for a clock in real time, so that most calls record nothing. */
export function recordedClock(
  clock: Pick<SandboxClock, 'remember' | 'base'>,
): z.infer<typeof recordedClockSchema> | undefined {
  const { set, frozenAt, advancedMs } = clock.remember()
  const isFrozen = frozenAt !== undefined
  if (set === undefined && !isFrozen && advancedMs === 0) return undefined
  return {
    ...((set || isFrozen) && { base: new Date(clock.base()).toISOString() }),
    ...(advancedMs !== 0 && { advanced_seconds: advancedMs / 1000 }),
    ...(isFrozen && { frozen: true }),
  }
}

const isInstant = mustBe(INSTANT_FORMS)

/**
 * A move of the clock. Members can be combined and apply in the order reset, set, freeze, advance.
 */
export const clockMoveSchema = z
  .strictObject({
    reset: z
      .literal(true, mustBe('true, or left out'))
      .optional()
      .describe('Back to real time, running'),
    set: z
      .string(isInstant)
      .refine((text) => parseInstant(text) !== undefined, isInstant)
      .optional()
      .describe('Moves now and base there; stays frozen or running'),
    freeze: z.boolean().optional().describe('Stops the clock, or lets it run'),
    advance: z
      .number()
      .min(0, mustBe('0 or more seconds (to go back in time use set or reset)'))
      .optional()
      .describe('Seconds to let pass'),
  })
  .refine((move) => Object.keys(move).length > 0, {
    error: 'give at least one of reset, set, freeze, advance',
    // The schema already reports a misspelt member.
    when: ({ issues }) => issues.length === 0,
  })

export type ClockMove = z.infer<typeof clockMoveSchema>

/**
 * Moves the clock. A failed move changes nothing.
 * @throws Refusal when the move leaves the years 0001 to 9999
 */
export function moveClock(clock: SandboxClock, move: ClockMove): void {
  const before = clock.remember()
  try {
    if (move.reset) clock.reset()
    // Freezes before `set`, so that a clock that is set and frozen shows exactly the given instant.
    if (move.freeze === true) clock.freeze(true)
    if (move.set !== undefined) clock.set(parseInstant(move.set) ?? clock.now())
    if (move.freeze === false) clock.freeze(false)
    if (move.advance !== undefined) clock.advance(move.advance)
  } catch (cause) {
    clock.recall(before)
    throw cause
  }
}

/**
 * How the clock differs from real time: `+1 day 2 h`, `frozen at 2026-01-31 12:00:00Z`; `undefined`
 * in real time.
 */
export function describeClock(clock: Pick<SandboxClock, 'now' | 'remember'>): string | undefined {
  const { set, frozenAt, advancedMs } = clock.remember()
  if (frozenAt !== undefined)
    return `frozen at ${new Date(clock.now()).toISOString().slice(0, 19).replace('T', ' ')}Z`
  if (set === undefined && advancedMs === 0) return undefined
  const offsetMs = advancedMs + (set === undefined ? 0 : set.instant - set.startedAt)
  return `${offsetMs < 0 ? '−' : '+'}${describeSeconds(Math.round(Math.abs(offsetMs) / 1000))}`
}

const UNITS = [
  { seconds: 86_400, title: (count: number) => `${count} day${count === 1 ? '' : 's'}` },
  { seconds: 3600, title: (count: number) => `${count} h` },
  { seconds: 60, title: (count: number) => `${count} min` },
  { seconds: 1, title: (count: number) => `${count} s` },
] as const

/**
 * Writes a duration with its two largest units.
 * @example
 * ```ts
 * describeSeconds(91) // '1 min 31 s'
 * ```
 */
export function describeSeconds(seconds: number): string {
  const parts: string[] = []
  let rest = seconds
  for (const unit of UNITS) {
    const count = Math.floor(rest / unit.seconds)
    rest -= count * unit.seconds
    if (count > 0) parts.push(unit.title(count))
  }
  return parts.slice(0, 2).join(' ') || '0 s'
}

/**
 * Starts a stopwatch in real time, which sandbox clocks do not affect.
 * @returns a function that returns the milliseconds since the start
 */
export function startStopwatch(): () => number {
  const startedAt = performance.now()
  return () => performance.now() - startedAt
}
