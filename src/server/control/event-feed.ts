import type { Journal, JournalEvent } from '../../sandbox/journal/journal.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { StartStream } from '../http/reply.ts'

/** Maximum number of readers in the process, over all tenants. */
const MAX_EVENT_READERS = 100

/**
 * Maximum number of bytes that a reader may be behind; a slower reader is disconnected. The events
 * are kept once for all readers.
 */
const MAX_UNSENT_BYTES = 1024 * 1024

/** Milliseconds between two comment lines, which keep proxies from closing the stream. */
const COMMENT_EVERY_MS = 15_000

const FIRST_LINE = Buffer.from(': agekey-sandbox\n\n')
const COMMENT = Buffer.from(': still here\n\n')

/**
 * An event as bytes. Each event refers to the next one, so that events which every reader has
 * received are garbage-collected.
 */
interface Sent {
  readonly tenant: string
  readonly bytes: Buffer
  /** Number of bytes of all events up to the end of this one. */
  readonly end: number
  next: Sent | undefined
}

interface Reader {
  readonly tenant: string
  /**
   * The last event that was sent to this reader, or skipped because it belongs to another tenant.
   */
  place: Sent
  /** The response stream; absent until the response begins. */
  stream: Parameters<StartStream>[0] | undefined
  /**
   * Whether the connection accepts more bytes. If it does not, events wait in the feed, not in a
   * buffer of the connection.
   */
  takesMore: boolean
}

/**
 * Feeds by the `subscribe` function of the journal: each tenant wraps the journal in its own
 * object, but shares this function.
 */
const feeds = new WeakMap<Journal['subscribe'], ReturnType<typeof createEventFeed>>()

export function feedOf(journal: Journal) {
  const feed = feeds.get(journal.subscribe) ?? createEventFeed(journal)
  feeds.set(journal.subscribe, feed)
  return feed
}

/** Creates the feed of a journal: the events of all tenants, for readers of single tenants. */
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
     * Admits a reader until `signal` is aborted. The reader receives all events after this call.
     * @throws Refusal 503 when there are too many readers
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
  // The data of a scenario event overwrites `id` with the id of the scenario.
  return `event: ${type}\ndata: ${JSON.stringify({ id: id ?? null, flow: null, ...data })}\n\n`
}
