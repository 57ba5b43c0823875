import { readCall } from '../../sandbox/journal/call-record.ts'
import { readEvaluation } from '../../sandbox/journal/evaluation.ts'
import {
  type FlowFilter,
  fitsFilter,
  flowFactsSchema,
  flowId,
  flowNumber,
  JOURNAL_BUDGET,
  type Journal,
  type JournalBudget,
  type JournalEvent,
  journalEventSchema,
  type ListedFlow,
  NONE_ENDED,
} from '../../sandbox/journal/journal.ts'
import type { Redis } from './redis.ts'

interface RedisJournalOptions extends JournalBudget {
  /** The prefix of its keys. */
  readonly prefix: string
  /** The channel by which replicas send each other events. */
  readonly channel: string
}

/** Flows that a list requests from Redis at once. */
const MAX_READ_AT_ONCE = 32

/**
 * The journal of all replicas in Redis. A flow is a hash: its facts (`f:`), and by their numbers
 * its calls (`c:`) and identifiers (`i:`). A sorted set of all flows is the ring under the budget,
 * another one that of flows of audits; two for each tenant list its own, in the order in which they
 * began and in the order in which they ended. A set has those of its audits.
 */
export async function createRedisJournal(
  redis: Redis,
  options: RedisJournalOptions,
): Promise<Journal> {
  const { prefix, channel } = options
  const budget = { ...JOURNAL_BUDGET, ...options }
  const listeners = new Set<(event: JournalEvent) => void>()
  const endingsKey = (tenant: string) => `${prefix}${tenant}:endings`
  const flowKey = (tenant: string, id: string) => `${prefix}${tenant}:${id}`

  await redis.listen(channel, (message) => {
    const event = journalEventSchema.parse(JSON.parse(message))
    for (const listener of listeners) listener(event)
  })
  const announce = (event: JournalEvent) => {
    // A long poll looks again before it ends, so an event that cannot be sent now is not lost.
    redis.call((client) => client.publish(channel, JSON.stringify(event))).catch(() => {})
  }
  const readSummary = async (tenant: string, id: string): Promise<Fields> => {
    const values = await redis.call((client) => client.hmGet(flowKey(tenant, id), SUMMARY))
    return new Map(
      SUMMARY.flatMap((name, index) => (values[index] ? [[name, values[index]] as const] : [])),
    )
  }
  const clear = async (tenant: string, what: 'clear' | 'forget') => {
    await redis.call((client) => client.clearFlows(prefix, tenant, what))
    announce({ type: 'reset', tenant, data: {} })
  }
  const read = async (tenant: string, id: string): Promise<Fields | undefined> => {
    const fields = await redis.call((client) => client.hGetAll(flowKey(tenant, id)))
    return fields.size === 0 ? undefined : fields
  }
  /** The matching flows among these ids, in their order. They are read in batches that grow. */
  async function* readFlows(
    tenant: string,
    ids: readonly string[],
    filter: FlowFilter,
  ): AsyncGenerator<ListedFlow> {
    const fits = async (id: string) => {
      const fields = await readSummary(tenant, id)
      return fields.size > 0 && fitsFilter(id, summaryIn(fields, tenant, id), filter)
    }
    for (const some of batchesOf(ids)) {
      const fitting = await Promise.all(some.map(fits))
      const wanted = some.filter((_, index) => fitting[index])
      const found = await Promise.all(
        wanted.map(async (id) => ({ id, fields: await read(tenant, id) })),
      )
      // Without flows that were dropped meanwhile.
      for (const { id, fields } of found) if (fields) yield listedFlow(fields, tenant, id)
    }
  }

  return {
    announce,
    async find(tenant, id) {
      const fields = await read(tenant, id)
      const evaluation = fields?.get('evaluation')
      const evaluated = evaluation === undefined ? {} : readEvaluation(evaluation)
      return fields && { ...listedFlow(fields, tenant, id), ...evaluated }
    },
    async assign(tenant, { correlationIds, begins }) {
      const ids =
        correlationIds.length === 0
          ? []
          : await redis.call((client) =>
              client.hmGet(`${prefix}${tenant}:identifiers`, [...correlationIds]),
            )
      const known = ids.find((id) => id !== null)
      if (known || !begins) return known ?? undefined
      return flowId(await redis.call((client) => client.hIncrBy(`${prefix}counts`, tenant, 1)))
    },
    async record(tenant, entry) {
      const recorded = await redis.call((client) =>
        client.recordCall(prefix, tenant, entry, budget),
      )
      if (!recorded) return undefined
      const { id, hasNews, kind, audit } = recorded
      const flow = flowFactsSchema.shape.flow.parse(JSON.parse(kind))
      const { at, endpoint, method, path, status } = entry.call
      announce({
        type: 'call',
        tenant,
        flow: id,
        data: entry.mask({ flow, at, endpoint, method, path, status }),
      })
      const announceFlow = async () => {
        const data = entry.mask(summaryIn(await readSummary(tenant, id), tenant, id))
        announce({ type: 'flow', tenant, flow: id, data })
      }
      if (hasNews) announceFlow().catch(() => {})
      return { id, audit }
    },
    async *list(tenant, { after, before, ...filter } = {}) {
      const key = `${prefix}${tenant}:flows`
      const upTo = before === undefined ? '+inf' : `(${flowNumber(before)}`
      const from = after === undefined ? '-inf' : `(${flowNumber(after)}`
      const ids = await redis.call((client) =>
        client.zRange(key, upTo, from, { BY: 'SCORE', REV: true }),
      )
      yield* readFlows(tenant, ids, filter)
    },
    async *listEnded(tenant, since, filter = {}) {
      const key = endingsKey(tenant)
      const after = await redis.call((client) => client.zScore(key, since))
      const from = after === null ? '-inf' : `(${after}`
      const ids = await redis.call((client) => client.zRange(key, from, '+inf', { BY: 'SCORE' }))
      yield* readFlows(tenant, ids, filter)
    },
    async lastEnded(tenant) {
      const [last = NONE_ENDED] = await redis.call((client) =>
        client.zRange(endingsKey(tenant), -1, -1),
      )
      return last
    },
    countAudited: (tenant) => redis.call((client) => client.sCard(`${prefix}${tenant}:audited`)),
    clear: (tenant) => clear(tenant, 'clear'),
    forget: (tenant) => clear(tenant, 'forget'),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The first batch is small: most readers want one flow. */
function* batchesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  let size = 1
  for (let from = 0; from < items.length; ) {
    yield items.slice(from, from + size)
    from += size
    size = Math.min(2 * size, MAX_READ_AT_ONCE)
  }
}

const FACTS = Object.keys(flowFactsSchema.shape)
const SUMMARY = [...FACTS.map((fact) => `f:${fact}`), 'started_at', 'ended_at']

type Fields = ReadonlyMap<string, string>

function summaryIn(fields: Fields, tenant: string, id: string) {
  const known = FACTS.flatMap((name) => {
    const text = fields.get(`f:${name}`)
    return text === undefined ? [] : [[name, JSON.parse(text)] as const]
  })
  if (known.length === 0) throw new Error(`the journal holds a flow ${id} without facts`)
  const facts = flowFactsSchema.parse(Object.fromEntries(known))
  return {
    id,
    tenant,
    ...facts,
    started_at: fields.get('started_at') ?? '',
    ended_at: fields.get('ended_at'),
  }
}

function listedFlow(fields: Fields, tenant: string, id: string): ListedFlow {
  const dropped = Number(fields.get('dropped') ?? 0)
  const kept = Number(fields.get('calls') ?? 0) - dropped
  return {
    ...summaryIn(fields, tenant, id),
    ...(dropped === 0 ? {} : { dropped_calls: dropped }),
    calls: Array.from({ length: kept }, (_, index) =>
      readCall(fields.get(`c:${dropped + index + 1}`) ?? 'null'),
    ),
  }
}
