// Not the globals, which the tests of an app may replace.
import { nextTick } from 'node:process'
import { setImmediate } from 'node:timers'
import { startStopwatch } from './clock/clock.ts'

/** Milliseconds of work, after which the event loop goes round and answers what else has come. */
const ROUND_MS = 5

/** Those that wait for their turn. */
const waiting: (() => void)[] = []
let isTaken = false
/** Of this round; absent until its first turn. */
let elapsed: (() => number) | undefined

/**
 * Resolves when it is the caller's turn to do a few milliseconds of work. Turns come one after the other, in the order in
 * which they were asked for, and the event loop goes round between them: a thousand expensive pages at once keep no health
 * check waiting for more than one of them.
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
  // Behind all that this turn does before it waits for something.
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

/** Milliseconds of work, after which it goes on with the next turn. */
const TURN_MS = 10

/** A pause for work that takes long: called again and again, it waits for the next turn when this one has lasted long enough. */
export function createPause(): () => Promise<void> {
  let elapsed = startStopwatch()
  return async () => {
    if (elapsed() < TURN_MS) return
    await takeTurn()
    elapsed = startStopwatch()
  }
}

/** What `work` makes of each item, in turns: a list of thousands keeps no other request waiting for more than a few items. */
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
