import { readPage } from '../http/list-page.ts'
import type { StartStream } from '../http/reply.ts'
import { Refusal } from '../oidc/refusal.ts'
import { shownResponse } from '../sandbox/journal/call-record.ts'
import { explainFlow, summarizeFlow } from '../sandbox/journal/explain-flow.ts'
import {
  type Flow,
  type FlowFilter,
  fitsFilter,
  type Journal,
  type JournalEvent,
  type ListedFlow,
  NONE_ENDED,
} from '../sandbox/journal/journal.ts'
import { nextSteps } from '../sandbox/journal/next-steps.ts'
import { searchFlows } from '../sandbox/journal/search-flows.ts'
import { requireOutcomeName, requirePersona } from '../sandbox/outcomes/names.ts'
import { parsedParameters } from '../sandbox/queue/call.ts'
import { exportFlow } from '../sandbox/recordings/export-flow.ts'
import type { Tenant } from '../sandbox/tenants/tenant.ts'
import { DEFAULT_LISTED, type flowOperations } from './contract/flows.ts'
import type { Handlers } from './handler.ts'
import { noneWith } from './queue.ts'
import { waitFor } from './wait-for.ts'

export const flowHandlers: Pick<Handlers, keyof typeof flowOperations> = {
  async listFlows({ tenant, query, signal }) {
    const { wait: seconds, since: given, limit = DEFAULT_LISTED, status, q, ...filter } = query
    const { journal, name } = tenant
    // First of all, so that what ends while names are checked has ended after the call.
    const since = given === undefined ? undefined : await flowEndedBefore(given, tenant)
    if (filter.outcome !== undefined) requireOutcomeName(filter.outcome)
    if (filter.persona !== undefined) await checkPersona(filter.persona, tenant)
    const read = (filter: FlowFilter) => {
      const flows = since === undefined ? journal.list(name, filter) : journal.listEnded(name, since, filter)
      return readPage(searchFlows(flows, { status, q }), { limit, idOf: ({ id }) => id, show: listedOnWire })
    }
    const look = async () => {
      const page = await read({ ...filter, isEnded: true })
      return page.items.length > 0 ? page : undefined
    }
    const isNews = ({ type, flow = NONE_ENDED, data }: JournalEvent) =>
      type === 'flow' && fitsFilter(flow, data, { ...filter, isEnded: true })
    const waited =
      seconds === undefined ? read(filter) : waitFor(journal, { tenant: name, seconds, signal, isNews, look })
    const { items: flows, next } = (await waited) ?? { items: [], next: undefined }
    return { status: 200, body: { flows, next, last_ended: await journal.lastEnded(name) } }
  },
  async getFlow({ tenant, world: { version }, params: { id }, query: { as } }) {
    const flow = await existing(id, tenant)
    if (as !== undefined) return { status: 200, file: await exportFlow(flow, as, { tenant, version }) }
    const next = nextSteps(flow, { lifetimes: tenant.provider.lifetimes, now: tenant.clock.now() })
    return { status: 200, body: { ...wireFlow(flow), ...explainFlow(flow), next_steps: next } }
  },
  async exportFlow({ tenant, world: { version }, params: { id, as } }) {
    return { status: 200, body: await exportFlow(await existing(id, tenant), as, { tenant, version }) }
  },
  streamEvents: ({ tenant: { journal, name }, signal }) => ({
    status: 200,
    stream: feedOf(journal).open(name, signal),
  }),
}

async function existing(id: string, { journal, name }: Tenant): Promise<Flow> {
  const flow = await journal.find(name, id)
  if (!flow) throw noneWith('flow', id, 'the oldest go when the journal is full')
  return flow
}

/** The flow whose end `since` means: of a flow that is still open, as of `now`, the present is meant. */
async function flowEndedBefore(since: string, tenant: Tenant): Promise<string> {
  const { journal, name } = tenant
  const last = await journal.lastEnded(name)
  const flow = since === 'now' ? undefined : await journal.find(name, since)
  return since === 'now' || (flow && flow.ended_at === undefined) ? last : since
}

const listedOnWire = (flow: ListedFlow) => ({ ...wireFlow(flow), ...summarizeFlow(flow) })

/** A flow as the control API shows it; its trace says what the age key held. */
const wireFlow = <Read extends Flow>({ calls, signals: _, ...flow }: Read) => ({
  ...flow,
  calls: calls.map((call) => ({
    ...call,
    parameters: parsedParameters(call.parameters),
    response: shownResponse(call.response),
  })),
})

/** A persona that exists, or existed when a flow was decided as it; a misspelt one would never come. */
async function checkPersona(persona: string, tenant: Tenant): Promise<void> {
  for await (const _ of tenant.journal.list(tenant.name, { persona, audit: 'also' })) return
  await requirePersona(persona, { personas: tenant.personas })
}

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
