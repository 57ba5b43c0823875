import type { Journal, JournalEvent } from '../sandbox/journal/journal.ts'

/** Seconds that a call may wait at most. */
export const LONGEST_WAIT = 60

/** What a long poll waits for. */
export interface Wait<T> {
  readonly tenant: string
  readonly seconds: number
  /** Aborted when the caller has gone away. */
  readonly signal: AbortSignal
  /** The events after which it is worth looking again. */
  readonly events: readonly JournalEvent['type'][]
  /** What the caller wants, as soon as it is there. */
  look(): Promise<T | undefined>
}

/** What `look` finds, at once or after an event; `undefined` when the time is over or the caller has gone. */
export async function waitFor<T>(journal: Journal, wait: Wait<T>): Promise<T | undefined> {
  const { tenant, seconds, signal, events, look } = wait
  let isOver = seconds === 0 || signal.aborted
  let hasNews = false
  let wake = () => {}
  const tell = () => {
    hasNews = true
    wake()
  }
  const giveUp = () => {
    isOver = true
    tell()
  }
  // Listened before the first look: what happens in between is not missed.
  const unsubscribe = journal.subscribe((event) => {
    if (event.tenant === tenant && events.includes(event.type)) tell()
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
