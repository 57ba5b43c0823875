import { callRecordSchema } from '../sandbox/journal/call-record.ts'
import {
  type Flow,
  type FlowFacts,
  type FlowFilter,
  fitsFilter,
  flowNumber,
  JOURNAL_BUDGET,
  type Journal,
  type JournalBudget,
  type JournalEntry,
  type JournalEvent,
} from '../sandbox/journal/journal.ts'
import type { Redis } from './redis.ts'
import { CLEAR, RECORD } from './redis-journal-scripts.ts'

export interface RedisJournalOptions extends JournalBudget {
  /** Of its keys. */
  readonly prefix: string
  /** The channel on which replicas tell each other what happens. */
  readonly channel: string
}

/**
 * The journal of all replicas in Redis. A flow is a hash: its facts (`f:`), calls (`c:` and a number) and identifiers
 * (`i:`). A sorted set of all flows is the ring under the budget; one for each tenant lists its own.
 */
export async function createRedisJournal(redis: Redis, options: RedisJournalOptions): Promise<Journal> {
  const { prefix, channel } = options
  const { maxFlows, maxCharacters } = { ...JOURNAL_BUDGET, ...options }
  const listeners = new Set<(event: JournalEvent) => void>()
  const flowsKey = (tenant: string) => `${prefix}${tenant}:flows`
  const flowKey = (tenant: string, id: string) => `${prefix}${tenant}:${id}`

  await redis.listen(channel, (message) => {
    const event = JSON.parse(message) as JournalEvent
    for (const listener of listeners) listener(event)
  })
  const announce = (event: JournalEvent) => {
    // Whoever waits looks again before giving up: an event that cannot be told now is not missed for ever.
    redis.send('PUBLISH', channel, JSON.stringify(event)).catch(() => {})
  }
  const announceFlow = async (tenant: string, id: string) => {
    const values = await redis.send('HMGET', flowKey(tenant, id), ...SUMMARY)
    const { calls: _calls, ...flow } = toFlow(pairs(SUMMARY, values), { tenant, id })
    announce({ type: 'flow', tenant, flow: id, data: flow })
  }
  const find = async (tenant: string, id: string) => {
    const fields = hash(await redis.send('HGETALL', flowKey(tenant, id)))
    return fields.size === 0 ? undefined : toFlow(fields, { tenant, id })
  }
  const fits = async (tenant: string, id: string, filter: FlowFilter) => {
    const facts = factsIn(pairs(SUMMARY, await redis.send('HMGET', flowKey(tenant, id), ...SUMMARY)))
    return facts !== undefined && fitsFilter(facts, filter)
  }

  return {
    announce,
    find,
    async record(tenant, entry) {
      const reply = await redis.run(RECORD, [prefix], recordArguments(tenant, entry, { maxFlows, maxCharacters }))
      if (reply === null) return undefined
      const [id, hasNews] = reply as [string, number]
      const { at, endpoint, method, path, status } = entry.call
      announce({ type: 'call', tenant, flow: id, data: { flow: id, at, endpoint, method, path, status } })
      if (hasNews === 1) announceFlow(tenant, id).catch(() => {})
      return id
    },
    async list(tenant, filter = {}, { limit, before } = {}) {
      const { after, ...facts } = filter
      const upTo = before === undefined ? '+inf' : `(${flowNumber(before)}`
      const from = after === undefined ? '-inf' : `(${flowNumber(after)}`
      const all = (await redis.send('ZREVRANGEBYSCORE', flowsKey(tenant), upTo, from)) as string[]
      const isFiltered = Object.values(facts).some((wanted) => wanted !== undefined)
      const fitting = isFiltered ? await Promise.all(all.map((id) => fits(tenant, id, facts))) : []
      const ids = all.filter((_, index) => !isFiltered || fitting[index]).slice(0, limit)
      // One that went meanwhile is not there any more.
      const flows = await Promise.all(ids.map((id) => find(tenant, id)))
      return flows.filter((flow) => flow !== undefined)
    },
    async clear(tenant) {
      await redis.run(CLEAR, [prefix], [tenant])
      announce({ type: 'reset', tenant, data: {} })
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const FACTS = ['flow', 'client_id', 'state', 'persona', 'outcome', 'age_thresholds'] as const
const SUMMARY = [...FACTS.map((fact) => `f:${fact}`), 'started_at', 'ended_at']

type Fields = ReadonlyMap<string, string>

function hash(reply: unknown): Fields {
  const texts = reply as string[]
  return new Map(texts.flatMap((name, index) => (index % 2 === 0 ? [[name, texts[index + 1] ?? ''] as const] : [])))
}

function pairs(names: readonly string[], reply: unknown): Fields {
  const values = reply as (string | null)[]
  return new Map(names.flatMap((name, index) => (values[index] ? [[name, values[index]] as const] : [])))
}

function recordArguments(
  tenant: string,
  { correlationIds, issuedIds, facts, explain, begins, ends, call }: JournalEntry,
  budget: Required<JournalBudget>,
): string[] {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined)
  const listed = (texts: readonly string[]) => [String(texts.length), ...texts]
  return [
    tenant,
    begins ? '1' : '0',
    ends ? '1' : '0',
    call.at,
    JSON.stringify(call),
    explain === undefined ? '' : JSON.stringify(explain()),
    String(budget.maxFlows),
    String(budget.maxCharacters),
    ...listed(correlationIds),
    ...listed(issuedIds),
    ...listed(known.flatMap(([name, value]) => [`f:${name}`, JSON.stringify(value)])),
  ]
}

/** `undefined` when the flow is not there any more. */
function factsIn(fields: Fields): FlowFacts | undefined {
  const known = FACTS.flatMap((name) => {
    const text = fields.get(`f:${name}`)
    return text === undefined ? [] : [[name, JSON.parse(text)] as const]
  })
  return known.length === 0 ? undefined : (Object.fromEntries(known) as unknown as FlowFacts)
}

function toFlow(fields: Fields, { tenant, id }: { tenant: string; id: string }): Flow {
  const facts = factsIn(fields)
  if (!facts) throw new Error(`the journal holds a flow ${id} without facts`)
  const trace = fields.get('trace')
  const count = Number(fields.get('calls') ?? 0)
  return {
    id,
    tenant,
    ...facts,
    started_at: fields.get('started_at') ?? '',
    ended_at: fields.get('ended_at'),
    ...(trace === undefined ? {} : { trace: JSON.parse(trace) }),
    calls: Array.from({ length: count }, (_, index) =>
      callRecordSchema.parse(JSON.parse(fields.get(`c:${index + 1}`) ?? 'null')),
    ),
  }
}
