import type * as z from 'zod'
import { parseRecord } from '../../service/oidc/collection.ts'
import type { Tables } from '../tables.ts'

const TABLE = 'state'

/** The changeable state of one tenant, stored where all processes can read it. */
export interface TenantState {
  /** Applies the changes of other processes. */
  refresh(): Promise<void>
  /** Adds a part. Returns the function that changes its value. */
  add<Value>(part: StatePart<Value>): ChangePart<Value>
}

/**
 * Changes the value of a part by a pure function; `undefined` restores the declared value. If the
 * function throws, the error is passed on and nothing changes.
 */
export type ChangePart<Value> = (
  change: (value: Value | undefined) => Value | undefined,
) => Promise<void>

/**
 * A part of a tenant that changes at run time and survives a reset, such as settings or keys. Its
 * value is JSON.
 */
export interface StatePart<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
  /** Applies a value; `undefined` restores the declared value. */
  apply(value: Value | undefined): void
}

/** Creates the state of one tenant in a table with one row for each part. */
export function createTenantState(tables: Tables): TenantState {
  const readers: ((rows: ReadonlyMap<string, unknown>) => void)[] = []
  let begunReads = 0
  let newestRead = 0

  const refresh = async () => {
    const read = ++begunReads
    const rows = new Map(await tables.list(TABLE))
    // Reads may overlap. A read that began later is newer, even if it ends earlier.
    if (read < newestRead) return
    newestRead = read
    for (const applyRows of readers) applyRows(rows)
  }

  return {
    refresh,
    add({ name, schema, apply }) {
      // A reset cannot remove a damaged row, because every call of the tenant reads the state
      // first.
      const remedy = `remove it from the store (table ${TABLE}, field ${name})`
      const kind = { name: `${name} ${TABLE}`, schema, remedy }
      const parse = (value: unknown) => (value === undefined ? undefined : parseRecord(kind, value))
      let applied = ''
      readers.push((rows) => {
        const value = rows.get(name)
        const text = JSON.stringify(value) ?? ''
        if (text === applied) return
        apply(parse(value))
        applied = text
      })
      return async (change) => {
        await tables.update(TABLE, name, (value) => change(parse(value)))
        // Reads the row back, so that all processes apply all changes in the same order.
        await refresh()
      }
    },
  }
}
