import type { Journal, JournalEvent } from '../../sandbox/journal/journal.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { StartStream } from '../http/reply.ts'

/** Readers of the events of one sandbox at a time, over all tenants. */
const MAX_EVENT_READERS = 100

/** Bytes of events that the slowest reader may be behind; events are kept once for all readers. */
const MAX_UNSENT_BYTES = 1024 * 1024

/** Milliseconds between two comment lines: they keep proxies from closing the stream. */
const COMMENT_EVERY_MS = 15_000

const FIRST_LINE = Buffer.from(': agekey-sandbox\n\n')
const COMMENT = Buffer.from(': still here\n\n')

/**
 * An event as it is sent. Each event refers to the next, so that events which every reader has
 * received can be collected.
 */
interface Sent {
  readonly tenant: string
  readonly bytes: Buffer
  /** Bytes of all events up to and including this one. */
  readonly end: number
  next: Sent | undefined
}

interface Reader {
  readonly tenant: string
  /** The last event that was sent to this reader, or that concerned another tenant. */
  place: Sent
  /** Writes to the reader; absent until its answer begins. */
  stream: Parameters<StartStream>[0] | undefined
  /**
   * Whether the connection accepts more. If it does not, events wait here, not in a buffer of the
   * connection.
   */
  takesMore: boolean
}

/** Feeds by event source: each tenant wraps the journal in its own object. */
const feeds = new WeakMap<Journal['subscribe'], ReturnType<typeof createEventFeed>>()

export function feedOf(journal: Journal) {
  const feed = feeds.get(journal.subscribe) ?? createEventFeed(journal)
  feeds.set(journal.subscribe, feed)
  return feed
}

/** The events of all tenants in a journal, for readers of single tenants. */
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
      const sent: Sent = {
        tenant: event.tenant,
        bytes,
        end: last.end + bytes.length,
        next: undefined,
      }
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
     * Admits a reader until `signal` is aborted. It receives the events from now on.
     * @throws Refusal (503) when there are too many readers
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
  // The data of a scenario has its own id.
  return `event: ${type}\ndata: ${JSON.stringify({ id: id ?? null, flow: null, ...data })}\n\n`
}
