import { Refusal } from '../../src/oidc/refusal.ts'
import type { Stores } from '../../src/store/stores.ts'

/** The methods by which a port writes. */
const WRITES = /^(put|take|add|update|remove|clear|commit|record|touch|declare|forget|forgotten)$/

/** Stores whose writes can be made to fail from one on, as those of a Redis that becomes full or read-only. */
export function createCutStores(stores: Stores) {
  let left = Number.POSITIVE_INFINITY
  const cut = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function' || typeof name !== 'string' || !WRITES.test(name)) return member
        return async (...given: unknown[]) => {
          if (left-- <= 0) throw Refusal.unavailable('the store refuses the call (OOM)')
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
        return { ...cut(records), store: cut(store), tables: cut(tables), stateTables: cut(stateTables) }
      },
    } satisfies Stores,
    /** Lets so many writes pass, and none after them. */
    cutAfter(writes: number) {
      left = writes
    },
    heal() {
      left = Number.POSITIVE_INFINITY
    },
  }
}
