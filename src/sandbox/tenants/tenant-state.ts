import type * as z from 'zod'
import { parseRecord } from '../../oidc/collection.ts'
import type { Tables } from '../tables.ts'

/** A part of a tenant that is changed at run time and that a reset of its data keeps: settings, keys. Its value is JSON. */
export interface StatePart<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
  /** Makes a value take effect; `undefined` brings back what was declared. */
  apply(value: Value | undefined): void
}

/** @param change pure; `undefined` brings back what was declared; what it throws is thrown, and nothing changes then */
export type ChangeState<Value> = (change: (value: Value | undefined) => Value | undefined) => Promise<void>

/** The state of one tenant, kept where every process reads it. */
export interface TenantState {
  /** Adds a part and returns what changes it. */
  add<Value>(part: StatePart<Value>): ChangeState<Value>
  /** Applies what other processes changed. */
  refresh(): Promise<void>
}

const TABLE = 'state'

/** Creates the state of one tenant: a table with a row for each part. */
export function createTenantState(tables: Tables): TenantState {
  const readers: ((rows: ReadonlyMap<string, unknown>) => void)[] = []
  let readings = 0
  let newest = 0

  const refresh = async () => {
    const reading = ++readings
    const rows = new Map(await tables.list(TABLE))
    // Two readings may overlap: the later one is newer, even when it ends first.
    if (reading < newest) return
    newest = reading
    for (const read of readers) read(rows)
  }

  return {
    refresh,
    add({ name, schema, apply }) {
      // Each call of the tenant reads it first, a reset too.
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
        // Read back, so that all processes apply all changes in one order.
        await refresh()
      }
    },
  }
}
