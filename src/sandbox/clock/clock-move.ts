import * as z from 'zod'
import { INSTANT_FORMS, parseInstant } from '../../age/calendar.ts'
import { mustBe } from '../../text/schema-problems.ts'
import type { SandboxClock } from './clock.ts'

const isInstant = mustBe(INSTANT_FORMS)

/** What moves a clock: members may be combined and apply in the order reset, set, freeze, advance. */
export const clockMoveSchema = z
  .strictObject({
    reset: z.literal(true, mustBe('true, or left out')).optional().describe('Back to real time, running'),
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
    // The schema reports a misspelt member already.
    when: ({ issues }) => issues.length === 0,
  })

export type ClockMove = z.infer<typeof clockMoveSchema>

/** Moves the clock. When a move fails, the clock keeps its old state. @throws Refusal when the move leaves the calendar */
export function moveClock(clock: SandboxClock, move: ClockMove): void {
  const before = clock.remember()
  try {
    if (move.reset) clock.reset()
    // Freezes first: a clock that is set and frozen shows exactly the given instant.
    if (move.freeze === true) clock.freeze(true)
    if (move.set !== undefined) clock.set(parseInstant(move.set) ?? clock.now())
    if (move.freeze === false) clock.freeze(false)
    if (move.advance !== undefined) clock.advance(move.advance)
  } catch (cause) {
    clock.recall(before)
    throw cause
  }
}
