import type { StartStream } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import type { Journal, JournalEvent } from '../sandbox/journal/journal.ts'

/** Readers of the events of one sandbox, over all its tenants. */
const MAX_EVENT_READERS = 100

/** What readers may be behind: the bytes of the events, kept once for all of them, that the slowest one has not been sent. */
const MAX_UNSENT_BYTES = 1024 * 1024

/** Milliseconds between two comment lines: they keep proxies from closing the stream. */
const COMMENT_EVERY_MS = 15_000

const FIRST_LINE = Buffer.from(': agekey-sandbox\n\n')
const COMMENT = Buffer.from(': still here\n\n')

/** An event as it is sent. Each knows the next one: what every reader has been sent is referred to no longer. */
interface Sent {
  readonly tenant: string
  readonly bytes: Buffer
  /** Bytes of all events up to this one. */
  readonly end: number
  next: Sent | undefined
}

interface Reader {
  readonly tenant: string
  /** The event that it was sent last, or that was of another tenant. */
  place: Sent
  /** What it reads by, once its answer has begun. */
  stream: Parameters<StartStream>[0] | undefined
  /** Whether its connection takes more: what it does not take waits here, and not in a buffer of the connection. */
  takesMore: boolean
}

/** By what tells of its events: each tenant has the journal in an object of its own. */
const feeds = new WeakMap<Journal['subscribe'], ReturnType<typeof createEventFeed>>()

export function feedOf(journal: Journal) {
  const feed = feeds.get(journal.subscribe) ?? createEventFeed(journal)
  feeds.set(journal.subscribe, feed)
  return feed
}

/** The events of all tenants of a journal, for readers of single tenants. */
function createEventFeed(journal: Journal) {
  const readers = new Set<Reader>()
  let last: Sent = { tenant: '', bytes: FIRST_LINE, end: 0, next: undefined }
  let stop = () => {}

  const send = (reader: Reader) => {
    const { stream, tenant } = reader
    while (stream && reader.takesMore && reader.place.next) {
      reader.place = reader.place.next
      if (reader.place.tenant === tenant) reader.takesMore = stream.write(reader.place.bytes)
    }
    if (last.end - reader.place.end > MAX_UNSENT_BYTES) stream?.destroy()
  }
  const start = () => {
    const unsubscribe = journal.subscribe((event) => {
      const bytes = Buffer.from(textOf(event))
      const sent: Sent = { tenant: event.tenant, bytes, end: last.end + bytes.length, next: undefined }
      last.next = sent
      last = sent
      for (const reader of readers) send(reader)
    })
    const timer = setInterval(() => {
      for (const reader of readers) if (reader.takesMore) reader.stream?.write(COMMENT)
    }, COMMENT_EVERY_MS)
    timer.unref()
    return () => {
      clearInterval(timer)
      unsubscribe()
    }
  }

  return {
    /**
     * Takes a place for a reader until `signal` is aborted. It receives what happens from now on.
     * @throws Refusal (503) when every place is taken
     */
    open(tenant: string, signal: AbortSignal): StartStream {
      if (readers.size >= MAX_EVENT_READERS) {
        throw Refusal.unavailable(
          `events: ${MAX_EVENT_READERS} readers listen already, which is all that may; close one of them, or try again later`,
        )
      }
      const reader: Reader = { tenant, place: last, stream: undefined, takesMore: true }
      if (readers.size === 0) stop = start()
      readers.add(reader)
      const leave = () => {
        readers.delete(reader)
        if (readers.size === 0) stop()
      }
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave)
      return (stream) => {
        reader.stream = stream
        stream.on('drain', () => {
          reader.takesMore = true
          send(reader)
        })
        stream.write(FIRST_LINE)
        send(reader)
      }
    },
  }
}

function textOf({ type, flow: id, data }: JournalEvent): string {
  // The data of a scenario has an id of its own.
  return `event: ${type}\ndata: ${JSON.stringify({ id: id ?? null, flow: null, ...data })}\n\n`
}
