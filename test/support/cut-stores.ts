import supertest from 'supertest'
import { expect } from 'vitest'
import { createApp } from '../../src/server/app.ts'
import type { Stores } from '../../src/server/store/stores.ts'
import { Refusal } from '../../src/service/oidc/refusal.ts'
import { createTestHost } from './host.ts'
import type { Answer, HttpClient } from './http-client.ts'
import { createRelyingParty, type RelyingParty } from './relying-party.ts'
import { createTestParts } from './tenant.ts'

/** A sandbox on stores whose writes can be refused, and a relying party. */
export interface World extends HttpClient {
  readonly party: RelyingParty
  readonly stores: Stores
}

/**
 * A call whose writes are cut off, the statuses of answers other than 503, and what must hold after
 * the call was repeated.
 */
export type CutCall = readonly [
  call: () => PromiseLike<Answer>,
  statuses: number | readonly number[],
  check?: (answer: Answer) => Promise<void>,
]

const MAX_WRITES = 30

/**
 * Makes a call whose writes are refused: all, then all but the first, until none is. After a 503
 * the call is repeated.
 */
export async function cutAtEachWrite(
  openStores: () => Stores | Promise<Stores>,
  arrange: (world: World) => Promise<CutCall>,
): Promise<void> {
  for (let writes = 0; ; writes++) {
    expect(writes).toBeLessThan(MAX_WRITES)
    const { stores, budget } = createCutStores(await openStores())
    const errors: unknown[] = []
    const parts = await createTestParts(stores, { seed: undefined })
    const request = supertest(
      createApp(createTestHost(parts, { onError: (error) => errors.push(error) })),
    )
    const [call, statuses, check] = await arrange({
      request,
      party: createRelyingParty({ request }),
      stores,
    })
    budget.writes = writes
    const first = await call()
    budget.writes = Number.POSITIVE_INFINITY
    if (first.status === 503) expect(first.text).toContain('refuses the call (OOM)')
    const answer = first.status === 503 ? await call() : first
    expect(answer.status, `after ${writes} writes`).toBeOneOf([statuses].flat())
    await check?.(answer)
    expect(errors).toEqual([])
    stores.close()
    if (first.status !== 503) return
  }
}

const WRITES = /^(put|take|add|update|remove|clear|commit|record|touch|declare|forget|forgotten)$/

/** Stores that refuse writes beyond a budget, like a Redis that becomes full or read-only. */
function createCutStores(stores: Stores) {
  const budget = { writes: Number.POSITIVE_INFINITY }
  const cut = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function' || typeof name !== 'string' || !WRITES.test(name))
          return member
        return async (...given: unknown[]) => {
          if (budget.writes-- <= 0) throw Refusal.unavailable('the store refuses the call (OOM)')
          return Reflect.apply(member, target, given)
        }
      },
    })
  return {
    stores: {
      ...stores,
      journal: cut(stores.journal),
      directory: cut(stores.directory),
      createRecords(tenant, clock) {
        const { store, tables, stateTables, ...records } = stores.createRecords(tenant, clock)
        return {
          ...cut(records),
          store: cut(store),
          tables: cut(tables),
          stateTables: cut(stateTables),
        }
      },
    } satisfies Stores,
    budget,
  }
}
