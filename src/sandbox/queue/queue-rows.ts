import { type Awaitable, whenThere } from '../../service/oidc/ports.ts'
import { type Tables, table } from '../tables.ts'
import { progressOf, type Queued, queuedSchema, type ScenarioProgress, usedOnce } from './queued.ts'

/** The event about the progress of a scenario. */
export interface ScenarioEvent extends Pick<ScenarioProgress, 'id' | 'name' | 'revision'> {
  readonly status: ScenarioProgress['status'] | 'removed'
  /** The index of the current step; absent when all steps have passed. */
  readonly step?: number
}

/** The rows of a queue, in the order of queueing. Changes to scenarios are announced as events. */
export interface QueueRows {
  /** All rows. */
  list(): Awaitable<readonly Queued[]>
  /** All rows except expectations whose hold has ended. */
  listCurrent(): Awaitable<readonly Queued[]>
  /** The number of rows, including expectations whose hold has ended. */
  count(): Awaitable<number>
  find(id: string): Awaitable<Queued | undefined>
  put(queued: Queued): Promise<void>
  /**
   * Changes one row.
   * @param next a pure function; returning the same object changes nothing, `undefined` removes the
   * row
   * @returns the row before the change
   */
  change(id: string, next: (queued: Queued) => Queued | undefined): Promise<Queued | undefined>
  /** Removes the row if it is of this kind. Returns `false` when no such row has this id. */
  remove(id: string, kind: QueuedKind): Promise<boolean>
  /** Removes all rows of this kind. */
  clear(kind: QueuedKind): Promise<void>
  /** Removes an ended scenario without an event. */
  dropEnded(id: string): Promise<void>
}

type QueuedKind = 'expectation' | 'scenario'

export interface QueueRowsOptions {
  readonly tables: Tables
  /** The id of the tenant's flow that ended last. */
  lastEnded(): Promise<string>
  announce(event: ScenarioEvent): void
}

const PARSED = new WeakMap<object, Queued>()

const NOTHING_QUEUED: readonly Queued[] = []

/** Creates the rows of the queue of one tenant. */
export function createQueueRows({ tables, lastEnded, announce }: QueueRowsOptions): QueueRows {
  const queue = table(tables, { name: 'queue', schema: queuedSchema }, PARSED)

  const list = (): Awaitable<readonly Queued[]> =>
    whenThere(queue.list(), (rows) =>
      rows.length === 0 ? NOTHING_QUEUED : rows.map(([, queued]) => queued),
    )

  const change: QueueRows['change'] = async (id, next) => {
    let before: Queued | undefined
    const after = await queue.update(id, (queued) => {
      before = queued
      return queued && next(queued)
    })
    if (after && isScenario(after) && after.revision !== before?.revision) announce(eventOf(after))
    return before
  }

  const useUpHeld = async (held: readonly Queued[]) => {
    const ended = await lastEnded()
    for (const { id, expected } of held) {
      const since = expected?.held_since
      if (since === ended) continue
      await change(id, (now) => (now.expected?.held_since === since ? usedOnce(now) : now))
    }
    return list()
  }

  const remove: QueueRows['remove'] = async (id, kind) => {
    const queued = await queue.get(id)
    if (!queued || kindOf(queued) !== kind || !(await queue.remove(id))) return false
    if (kind === 'scenario') announce({ ...eventOf(queued), status: 'removed' })
    return true
  }

  return {
    list,
    listCurrent: () =>
      whenThere(list(), (rows) => {
        const held = rows.filter(({ expected }) => expected?.held_since !== undefined)
        return held.length === 0 ? rows : useUpHeld(held)
      }),
    count: queue.count,
    find: queue.get,
    async put(queued) {
      await queue.put(queued.id, queued)
      if (isScenario(queued)) announce(eventOf(queued))
    },
    change,
    remove,
    async clear(kind) {
      for (const { id } of await list()) await remove(id, kind)
    },
    async dropEnded(id) {
      await queue.remove(id)
    },
  }
}

const kindOf = ({ expected }: Queued): QueuedKind => (expected ? 'expectation' : 'scenario')

export const isScenario = (queued: Queued): boolean => kindOf(queued) === 'scenario'

function eventOf(queued: Queued): ScenarioEvent {
  const { id, name, status, revision, steps } = progressOf(queued)
  const step = steps.findIndex((one) => one.status === 'current' || one.status === 'failed')
  return { id, name, status, revision, ...(step < 0 ? {} : { step }) }
}
