import type { ClockMove } from '../clock/clock-move.ts'
import type { CallRecord } from '../journal/call-record.ts'

type Moment = Pick<CallRecord, 'at' | 'clock'>

/** A clock in real time. */
const REAL: NonNullable<CallRecord['clock']> = {}

/**
 * How a clock in real time gets to where it was when a flow began; `undefined` when it was in real time then, too.
 *
 * Decision: a clock that was only advanced is advanced, so that a recording of today runs on every day; one that was set or frozen is
 * set to the instant of then, because the personas of the flow counted from it.
 */
export const moveBefore = ({ at, clock }: Moment): ClockMove | undefined => clock && movesTo({ at, clock })

/**
 * What moved the clock between two calls of a flow; `undefined` when it only ran on.
 * @param options.pauseSeconds from how much time between them, real time counts as a move: shorter pauses change no answer
 */
export function moveBetween(
  before: Moment,
  after: Moment,
  { pauseSeconds }: { readonly pauseSeconds: number },
): ClockMove | undefined {
  const [was, is] = [before.clock ?? REAL, after.clock ?? REAL]
  if (after.clock === undefined && before.clock !== undefined) return { reset: true }
  const advanced = (is.advanced_seconds ?? 0) - (was.advanced_seconds ?? 0)
  if (was.base !== is.base || was.frozen !== is.frozen || advanced < 0) return movesTo(after)
  const passed = secondsBetween(before.at, after.at) - advanced
  const seconds = rounded(passed >= pauseSeconds ? advanced + passed : advanced)
  return seconds === 0 ? undefined : { advance: seconds }
}

/** From wherever a clock is, to the state that a call was recorded in. */
function movesTo({ at, clock = REAL }: Moment): ClockMove {
  const { base, advanced_seconds: advanced = 0, frozen } = clock
  // A clock that was set runs on from there: what has passed since counts, too.
  const seconds = base === undefined ? advanced : Math.max(0, rounded(secondsBetween(base, at)))
  return {
    reset: true,
    ...(base !== undefined && { set: base }),
    ...(frozen && { freeze: true }),
    ...(seconds > 0 && { advance: seconds }),
  }
}

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000

const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000
