import type { Journal, JournalEvent } from '../../sandbox/journal/journal.ts'
import { takeTurn } from '../../sandbox/take-turn.ts'
import { Refusal } from '../../service/oidc/refusal.ts'

export interface Wait<T> {
  readonly tenant: string
  readonly seconds: number
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal
  /**
   * Whether an event of the tenant makes another `look` necessary. The function runs for every
   * event, so it must be cheap.
   */
  isNews(event: JournalEvent): boolean
  /** Returns the result, or `undefined` while there is none. */
  look(): Promise<T | undefined>
}

/** Maximum number of waiting calls in the process. */
const MAX_WAITING = 1_000

let waiting = 0

/**
 * Calls `look` at once and after relevant events until it returns a result. Returns `undefined`
 * when the time is over or the caller disconnects.
 * @throws Refusal 503 when too many calls wait
 */
export async function waitFor<T>(journal: Journal, wait: Wait<T>): Promise<T | undefined> {
  const { tenant, seconds, signal, isNews, look } = wait
  let isOver = seconds === 0 || signal.aborted
  let hasNews = false
  let hasPlace = false
  let wake = () => {}
  const noteNews = () => {
    hasNews = true
    wake()
  }
  const giveUp = () => {
    isOver = true
    noteNews()
  }
  // Subscribes before the first look, so that no event is missed.
  const unsubscribe = journal.subscribe((event) => {
    if (event.tenant === tenant && isNews(event)) noteNews()
  })
  const timer = setTimeout(giveUp, seconds * 1000)
  signal.addEventListener('abort', giveUp)
  try {
    for (;;) {
      hasNews = false
      const found = await look()
      if (found !== undefined || isOver) return found
      if (!hasPlace && waiting >= MAX_WAITING) {
        const message = `wait: ${MAX_WAITING} calls wait already, which is all that may; ask again later, or without wait`
        throw Refusal.unavailable(message)
      }
      if (!hasPlace) waiting += 1
      hasPlace = true
      if (!hasNews) await new Promise<void>((resolve) => (wake = resolve))
      // One event may wake all waiting calls, so other requests run between them.
      await takeTurn()
    }
  } finally {
    if (hasPlace) waiting -= 1
    clearTimeout(timer)
    unsubscribe()
    signal.removeEventListener('abort', giveUp)
  }
}
