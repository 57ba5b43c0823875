import type { ClockMemory } from '../clock/clock.ts'
import type { StoredRing } from '../keys/key-ring.ts'
import type { Tables } from './tables.ts'
import type { TenantSettings } from './world.ts'

/** What a tenant was told at run time and what a reset does not forget, beside the clock. All of it is JSON. */
export interface ToldParts {
  readonly clock: ClockMemory
  readonly settings: TenantSettings
  readonly keys: StoredRing
}

/** Takes over what was told of one part; `undefined` when nothing was. */
export type Takers = { readonly [Part in keyof ToldParts]: (told: ToldParts[Part] | undefined) => void }

/** What a tenant was told, kept where every process reads it. */
export interface TenantState {
  /** Takes over what other processes were told. */
  refresh(): Promise<void>
  /** @param change pure; what it throws is thrown, and nothing changes then */
  update<Part extends keyof ToldParts>(
    part: Part,
    change: (told: ToldParts[Part] | undefined) => ToldParts[Part],
  ): Promise<void>
}

const TABLE = 'told'

/** Creates the state of one tenant; `takers` are called when a part is not what it was. */
export function createTenantState(tables: Tables, takers: Takers): TenantState {
  const taken = new Map<string, string>()
  let readings = 0
  let newest = 0

  const take = <Part extends keyof ToldParts>(part: Part, rows: ReadonlyMap<string, unknown>) => {
    const told = rows.get(part) as ToldParts[Part] | undefined
    const text = told === undefined ? '' : JSON.stringify(told)
    if (text === (taken.get(part) ?? '')) return
    taken.set(part, text)
    takers[part](told)
  }
  const refresh = async () => {
    const reading = ++readings
    const rows = new Map(await tables.list(TABLE))
    // Of two readings under way the later one knows more, whichever is done first.
    if (reading < newest) return
    newest = reading
    take('clock', rows)
    take('settings', rows)
    take('keys', rows)
  }

  return {
    refresh,
    async update(part, change) {
      await tables.update(TABLE, part, (value) => change(value as ToldParts[typeof part] | undefined))
      // Read back, so that there is one order of all changes, whoever made them.
      await refresh()
    },
  }
}
