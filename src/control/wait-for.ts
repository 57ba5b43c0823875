import { Refusal } from '../oidc/refusal.ts'
import type { Journal, JournalEvent } from '../sandbox/journal/journal.ts'
import { takeTurn } from '../sandbox/take-turn.ts'

export interface Wait<T> {
  readonly tenant: string
  readonly seconds: number
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal
  /** Whether `look` is to be called again after an event of the tenant. Cheap: it is asked of every event. */
  isNews(event: JournalEvent): boolean
  /** Gives the result, or `undefined` when it is not there yet. */
  look(): Promise<T | undefined>
}

/** Calls of the process that wait at a time. */
const MAX_WAITING = 1_000

let waiting = 0

/**
 * The result of `look`, at once or after an event; `undefined` when the time is over or the caller has gone away.
 * @throws Refusal (503) when too many calls wait already
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
  // Subscribed before the first look, so that no event in between is missed.
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
      // One event may be news for all that wait.
      await takeTurn()
    }
  } finally {
    if (hasPlace) waiting -= 1
    clearTimeout(timer)
    unsubscribe()
    signal.removeEventListener('abort', giveUp)
  }
}
