import { setImmediate as afterOtherEvents } from 'node:timers/promises'

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
