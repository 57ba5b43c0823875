import { setImmediate as afterOtherEvents } from 'node:timers/promises'
import { startStopwatch } from './clock/clock.ts'

/** The turn that was asked for last. */
let last: Promise<void> = Promise.resolve()

/**
 * Resolves when it is the caller's turn to do a few milliseconds of work. Between two turns the event loop answers other
 * requests: a hundred expensive pages at once keep no health check waiting for more than one of them.
 */
export function takeTurn(): Promise<void> {
  last = last.then(() => afterOtherEvents())
  return last
}

const TURN_MILLISECONDS = 10

/** What `work` makes of each item, in turns: a list of thousands keeps no other request waiting for more than a few items. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let elapsed = startStopwatch()
  for (const item of items) {
    if (elapsed() >= TURN_MILLISECONDS) {
      await takeTurn()
      elapsed = startStopwatch()
    }
    results.push(work(item))
  }
  return results
}
