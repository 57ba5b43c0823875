// Imported instead of the globals, which the tests of an app may replace.
import { nextTick } from 'node:process'
import { setImmediate } from 'node:timers'
import { startStopwatch } from './clock/clock.ts'

/** Milliseconds of work before the event loop may serve other requests. */
const ROUND_MS = 5

/** Callers that wait for a turn. */
const waiting: (() => void)[] = []
let isTaken = false
/** The stopwatch of this round; absent before its first turn. */
let elapsed: (() => number) | undefined

/**
 * Resolves when the caller may do a few milliseconds of work. Callers take turns in the order of
 * their calls, and the event loop runs between turns: a health check waits for at most one of a
 * thousand expensive pages.
 */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (!isTaken) giveTurn()
  })
}

function giveTurn(): void {
  isTaken = waiting.length > 0 && hasTime()
  if (!isTaken) return
  waiting.shift()?.()
  // Runs after the synchronous work of this turn and the microtasks that it queued.
  void Promise.resolve().then(() => nextTick(giveTurn))
}

function hasTime(): boolean {
  if (!elapsed) {
    elapsed = startStopwatch()
    setImmediate(() => {
      elapsed = undefined
      if (!isTaken) giveTurn()
    })
  }
  return elapsed() < ROUND_MS
}

/** Milliseconds of work before a long task waits for its next turn. */
const TURN_MS = 10

/**
 * Creates a pause for a long task, which should call it often. The pause waits for the next turn
 * once the current turn has lasted long enough.
 */
export function createPause(): () => Promise<void> {
  let elapsed = startStopwatch()
  return async () => {
    if (elapsed() < TURN_MS) return
    await takeTurn()
    elapsed = startStopwatch()
  }
}

/** Maps a list in turns, so that a long list delays other requests by a few items at most. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  const pause = createPause()
  for (const item of items) {
    await pause()
    results.push(work(item))
  }
  return results
}
