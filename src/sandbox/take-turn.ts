// Imported, not the globals: the tests of an app may replace those.
import { nextTick } from 'node:process'
import { setImmediate } from 'node:timers'
import { startStopwatch } from './clock/clock.ts'

/** Milliseconds of work, after which the event loop serves other requests. */
const ROUND_MS = 5

/** Callers that wait for their turn. */
const waiting: (() => void)[] = []
let isTaken = false
/** The stopwatch of this round; absent before its first turn. */
let elapsed: (() => number) | undefined

/**
 * Resolves when the caller may do a few milliseconds of work. Turns are given one after the other,
 * first come first served, and the event loop runs between them: among a thousand expensive pages,
 * a health check waits for one of them at most.
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
  // After all that this turn does before it waits for something.
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

/** Milliseconds of work, after which long work waits for its next turn. */
const TURN_MS = 10

/**
 * Creates a pause for long work: call it often. It waits for the next turn once the present turn
 * has lasted long enough.
 */
export function createPause(): () => Promise<void> {
  let elapsed = startStopwatch()
  return async () => {
    if (elapsed() < TURN_MS) return
    await takeTurn()
    elapsed = startStopwatch()
  }
}

/**
 * Maps a list in turns: a list of thousands keeps another request waiting for a few items at most.
 */
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
