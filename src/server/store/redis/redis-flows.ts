import { readCall } from '../../../sandbox/journal/call-record.ts'
import { readEvaluation } from '../../../sandbox/journal/evaluation.ts'
import {
  type Flow,
  type FlowFilter,
  fitsFilter,
  flowFactsSchema,
  type ListedFlow,
} from '../../../sandbox/journal/journal.ts'
import type { Redis } from './redis.ts'

/**
 * Reads flows from Redis. A flow is a hash with its facts (`f:`), and its numbered calls (`c:`) and
 * identifiers (`i:`).
 */
export interface RedisFlows {
  find(tenant: string, id: string): Promise<Flow | undefined>
  /**
   * The facts, start and end of a flow.
   * @throws Error when the flow no longer exists
   */
  summary(tenant: string, id: string): Promise<FlowSummary>
  /**
   * The matching flows among the ids, in the order of the ids. Batches of growing size are read.
   */
  list(tenant: string, ids: readonly string[], filter: FlowFilter): AsyncGenerator<ListedFlow>
}

type FlowSummary = Omit<ListedFlow, 'calls' | 'dropped_calls'>

/** @param prefix the prefix of the keys of a journal */
export function createRedisFlows(redis: Redis, prefix: string): RedisFlows {
  const keyOf = (tenant: string, id: string) => `${prefix}${tenant}:${id}`
  const read = async (tenant: string, id: string): Promise<Fields | undefined> => {
    const fields = await redis.call((client) => client.hGetAll(keyOf(tenant, id)))
    return fields.size === 0 ? undefined : fields
  }
  const readSummary = async (tenant: string, id: string): Promise<Fields> => {
    const values = await redis.call((client) => client.hmGet(keyOf(tenant, id), SUMMARY))
    const fields = new Map<string, string>()
    for (const [index, name] of SUMMARY.entries()) {
      const value = values[index]
      if (value) fields.set(name, value)
    }
    return fields
  }
  return {
    async find(tenant, id) {
      const fields = await read(tenant, id)
      if (!fields) return undefined
      const evaluation = fields.get('evaluation')
      const evaluated = evaluation === undefined ? {} : readEvaluation(evaluation)
      return { ...listedFlow(fields, tenant, id), ...evaluated }
    },
    summary: async (tenant, id) => summaryIn(await readSummary(tenant, id), tenant, id),
    async *list(tenant, ids, filter) {
      const fits = async (id: string) => {
        const fields = await readSummary(tenant, id)
        return fields.size > 0 && fitsFilter(id, summaryIn(fields, tenant, id), filter)
      }
      for (const batch of batchesOf(ids)) {
        const fitting = await Promise.all(batch.map(fits))
        const wanted = batch.filter((_, index) => fitting[index])
        const found = await Promise.all(
          wanted.map(async (id) => ({ id, fields: await read(tenant, id) })),
        )
        // A flow may have been dropped in the meantime.
        for (const { id, fields } of found) if (fields) yield listedFlow(fields, tenant, id)
      }
    },
  }
}

/** Maximum number of flows that are read at once. */
const MAX_READ_AT_ONCE = 32

/** Splits ids into batches. The first batch has one id, because most readers want one flow. */
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

function summaryIn(fields: Fields, tenant: string, id: string): FlowSummary {
  const known: Record<string, unknown> = {}
  for (const name of FACTS) {
    const text = fields.get(`f:${name}`)
    if (text !== undefined) known[name] = JSON.parse(text)
  }
  if (Object.keys(known).length === 0)
    throw new Error(`the journal holds a flow ${id} without facts`)
  const facts = flowFactsSchema.parse(known)
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
