import type { Ids } from '../../oidc/ports.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { OutcomeFlow } from '../outcomes/outcome.ts'
import type { Tables } from '../tenants/tables.ts'
import type { ReceivedCall } from './call.ts'

/** A decision queued for a coming request. */
export interface Expectation {
  readonly id: string
  readonly flow: OutcomeFlow
  readonly persona?: string | undefined
  readonly outcome?: string | undefined
  readonly match?: ExpectationMatch | undefined
  readonly times: number
  readonly remaining: number
}

/** A request must say the same in each of these. */
export interface ExpectationMatch {
  readonly client_id?: string | undefined
  readonly state?: string | undefined
  readonly nonce?: string | undefined
}

/** What to queue: `times` is 1 when absent. */
export type NewExpectation = Omit<Expectation, 'id' | 'times' | 'remaining'> & { readonly times?: number | undefined }

/** The queue of one tenant: first in, first out. */
export interface Expectations {
  list(): Promise<Expectation[]>
  /** @throws Refusal */
  add(expectation: NewExpectation): Promise<Expectation>
  /** The first one that fits, not yet spent. */
  find(call: ReceivedCall): Promise<Expectation | undefined>
  /** Uses it up by one: `false` when another caller was faster. */
  spend(id: string): Promise<boolean>
  clear(): Promise<void>
}

const MAX_EXPECTATIONS = 10_000

const TABLE = 'expectation'

/** Creates the queue of one tenant. */
export function createExpectations({ ids, tables }: { ids: Ids; tables: Tables }): Expectations {
  const list = async () => (await tables.list(TABLE)).map(([, value]) => value as Expectation)
  return {
    list,
    async add({ times = 1, ...wanted }) {
      if ((await list()).length >= MAX_EXPECTATIONS)
        throw Refusal.conflict(`expectations: ${MAX_EXPECTATIONS} are queued already; DELETE them, or reset the tenant`)
      const expectation = { ...wanted, id: `x-${ids.random(9)}`, times, remaining: times }
      await tables.put(TABLE, expectation.id, expectation)
      return expectation
    },
    find: async (call) => (await list()).find((expectation) => fits(expectation, call)),
    async spend(id) {
      let wasThere = false
      await tables.update(TABLE, id, (value) => {
        wasThere = value !== undefined
        const expectation = value as Expectation | undefined
        return expectation && expectation.remaining > 1
          ? { ...expectation, remaining: expectation.remaining - 1 }
          : undefined
      })
      return wasThere
    },
    async clear() {
      for (const { id } of await list()) await tables.remove(TABLE, id)
    },
  }
}

function fits({ flow, outcome, match = {} }: Expectation, call: ReceivedCall): boolean {
  return (
    flow === call.flow &&
    (call.endedAs === undefined || call.endedAs === outcome) &&
    (match.client_id === undefined || match.client_id === call.client_id) &&
    (match.state === undefined || match.state === call.state) &&
    (match.nonce === undefined || match.nonce === call.nonce)
  )
}
