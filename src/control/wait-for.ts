import type { Journal, JournalEvent } from '../sandbox/journal/journal.ts'

/** A long poll: what it waits for, and how long. */
export interface Wait<T> {
  readonly tenant: string
  readonly seconds: number
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal
  /** Events after which `look` is called again. */
  readonly events: readonly JournalEvent['type'][]
  /** Gives the result, or `undefined` when it is not there yet. */
  look(): Promise<T | undefined>
}

/** The result of `look`, at once or after an event; `undefined` when the time is over or the caller has gone away. */
export async function waitFor<T>(journal: Journal, wait: Wait<T>): Promise<T | undefined> {
  const { tenant, seconds, signal, events, look } = wait
  let isOver = seconds === 0 || signal.aborted
  let hasNews = false
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
    if (event.tenant === tenant && events.includes(event.type)) noteNews()
  })
  const timer = setTimeout(giveUp, seconds * 1000)
  signal.addEventListener('abort', giveUp)
  try {
    for (;;) {
      hasNews = false
      const found = await look()
      if (found !== undefined || isOver) return found
      if (!hasNews) await new Promise<void>((resolve) => (wake = resolve))
    }
  } finally {
    clearTimeout(timer)
    unsubscribe()
    signal.removeEventListener('abort', giveUp)
  }
}
