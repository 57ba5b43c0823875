import {
  flowFactsSchema,
  flowId,
  flowNumber,
  JOURNAL_BUDGET,
  type Journal,
  type JournalBudget,
  type JournalEvent,
  journalEventSchema,
  NONE_ENDED,
} from '../../../sandbox/journal/journal.ts'
import type { Redis } from './redis.ts'
import { createRedisFlows } from './redis-flows.ts'
import { createRedisNames } from './redis-names.ts'

interface RedisJournalOptions extends JournalBudget {
  /** The prefix of all keys. */
  readonly prefix: string
  /** The Pub/Sub channel on which replicas exchange events. */
  readonly channel: string
}

/**
 * Creates the journal of all replicas in Redis. Two sorted sets are the rings for the budget: flows
 * of apps, and flows of audits. For each tenant one sorted set lists its flows by start, another by
 * end, and a set lists the flows of audits.
 */
export async function createRedisJournal(
  redis: Redis,
  options: RedisJournalOptions,
): Promise<Journal> {
  const { prefix, channel } = options
  const budget = { ...JOURNAL_BUDGET, ...options }
  const flows = createRedisFlows(redis, prefix)
  const { announce, subscribe } = await openEvents(redis, channel)
  const seen = createRedisNames(redis, prefix)
  const endingsKey = (tenant: string) => `${prefix}${tenant}:endings`
  const clear = async (tenant: string, what: 'clear' | 'forget') => {
    await redis.call((client) => client.clearFlows(prefix, tenant, what))
    announce({ type: 'reset', tenant, data: {} })
  }
  const findByIdentifiers = async (tenant: string, identifiers: readonly string[]) => {
    if (identifiers.length === 0) return undefined
    const key = `${prefix}${tenant}:identifiers`
    const ids = await redis.call((client) => client.hmGet(key, [...identifiers]))
    return ids.find((id) => id !== null) ?? undefined
  }

  return {
    announce,
    seen,
    subscribe,
    find: flows.find,
    async assign(tenant, { correlationIds, begins }) {
      const known = await findByIdentifiers(tenant, correlationIds)
      if (known || !begins) return known
      return flowId(await redis.call((client) => client.hIncrBy(`${prefix}counts`, tenant, 1)))
    },
    async record(tenant, entry) {
      const recorded = await redis.call((client) =>
        client.recordCall(prefix, tenant, entry, budget),
      )
      if (!recorded) return undefined
      const { id, hasNews, kind } = recorded
      const flow = flowFactsSchema.shape.flow.parse(JSON.parse(kind))
      const { at, endpoint, method, path, status } = entry.call
      const data = entry.mask({ flow, at, endpoint, method, path, status })
      announce({ type: 'call', tenant, flow: id, data })
      const announceFlow = async () => {
        const summary = entry.mask({ ...(await flows.summary(tenant, id)) })
        announce({ type: 'flow', tenant, flow: id, data: summary })
      }
      if (hasNews) announceFlow().catch(() => {})
      return { id }
    },
    async *list(tenant, { after, before, ...filter } = {}) {
      const key = `${prefix}${tenant}:flows`
      const upTo = before === undefined ? '+inf' : `(${flowNumber(before)}`
      const from = after === undefined ? '-inf' : `(${flowNumber(after)}`
      const ids = await redis.call((client) =>
        client.zRange(key, upTo, from, { BY: 'SCORE', REV: true }),
      )
      yield* flows.list(tenant, ids, filter)
    },
    async *listEnded(tenant, since, filter = {}) {
      const key = endingsKey(tenant)
      const after = await redis.call((client) => client.zScore(key, since))
      const from = after === null ? '-inf' : `(${after}`
      const ids = await redis.call((client) => client.zRange(key, from, '+inf', { BY: 'SCORE' }))
      yield* flows.list(tenant, ids, filter)
    },
    async lastEnded(tenant) {
      const [last = NONE_ENDED] = await redis.call((client) =>
        client.zRange(endingsKey(tenant), -1, -1),
      )
      return last
    },
    countAudited: (tenant) => redis.call((client) => client.sCard(`${prefix}${tenant}:audited`)),
    clear: (tenant) => clear(tenant, 'clear'),
    async forget(tenant) {
      await clear(tenant, 'forget')
      await seen.clear(tenant)
    },
  }
}

/** Sends events to all replicas, and receives the events of all replicas. */
async function openEvents(
  redis: Redis,
  channel: string,
): Promise<Pick<Journal, 'announce' | 'subscribe'>> {
  const listeners = new Set<(event: JournalEvent) => void>()
  await redis.listen(channel, (message) => {
    const event = journalEventSchema.parse(JSON.parse(message))
    for (const listener of listeners) listener(event)
  })
  return {
    announce(event) {
      // An event that cannot be sent is not lost: a waiting call looks again before it ends.
      redis.call((client) => client.publish(channel, JSON.stringify(event))).catch(() => {})
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
