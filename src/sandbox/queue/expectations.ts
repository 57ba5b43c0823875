import type { Ids } from '../../service/oidc/ports.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import type { Expectation, NewExpectation } from './expectation.ts'
import type { QueueRows } from './queue-rows.ts'
import { expectationOf, queuedExpectation } from './queued.ts'

/** The expectations of one tenant, in the order of queueing. */
export interface Expectations {
  list(): Promise<Expectation[]>
  /** Adds an expectation. @throws Refusal when the queue is full */
  add(wanted: NewExpectation): Promise<Expectation>
  /** Removes an expectation. Returns `false` when no expectation has this id. */
  remove(id: string): Promise<boolean>
  clear(): Promise<void>
}

const MAX_EXPECTATIONS = 10_000

/** Creates the expectations of a queue. */
export function createExpectations(rows: QueueRows, ids: Ids): Expectations {
  const list = async () => {
    const expectations: Expectation[] = []
    for (const queued of await rows.listCurrent()) {
      const expectation = expectationOf(queued)
      if (expectation) expectations.push(expectation)
    }
    return expectations
  }
  const isFull = async () => {
    if ((await rows.count()) < MAX_EXPECTATIONS) return false
    // The list is read only at the limit: `count` includes scenarios and expectations whose hold
    // has ended.
    return (await list()).length >= MAX_EXPECTATIONS
  }
  return {
    list,
    async add({ times = 1, ...wanted }) {
      if (await isFull())
        throw Refusal.conflict(
          `expectations: ${MAX_EXPECTATIONS} are queued already; DELETE them, or reset the tenant`,
        )
      const id = newExpectationId(ids)
      await rows.put(queuedExpectation(id, wanted, { times, remaining: times }))
      return { ...wanted, id, times, remaining: times }
    },
    remove: (id) => rows.remove(id, 'expectation'),
    clear: () => rows.clear('expectation'),
  }
}

export const newExpectationId = (ids: Ids): string => `x-${ids.random(9)}`
