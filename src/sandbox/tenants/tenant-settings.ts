import type * as z from 'zod'
import { parseRecord } from '../../oidc/collection.ts'
import { Refusal } from '../../oidc/refusal.ts'
import type { Addresses } from '../addresses/addresses.ts'
import { createClients, type SandboxClients } from '../clients/clients.ts'
import { type KeyRing, type RotationStage, restoreKeyRing, storedRingSchema } from '../keys/key-ring.ts'
import { type ActiveReadings, activate } from '../readings/readings.ts'
import type { Tables } from '../tables.ts'
import { type SharedParts, type TenantSettings, tenantSettingsSchema } from './shared-parts.ts'
/** The settings and keys of a tenant at present. */
export interface OwnSettings {
  readonly settings: TenantSettings
  readonly clients: SandboxClients
  readonly keys: KeyRing
  readonly readings: ActiveReadings
}

/**
 * Creates the settings of one tenant. They are those of the sandbox until the tenant changes its own.
 * @param options.onChange called with all present settings after each change
 */
export function createTenantSettings(
  { settings: common, keys: commonKeys, secrets, generateKeys }: SharedParts,
  { state, addresses, onChange }: { state: TenantState; addresses: Addresses; onChange(own: OwnSettings): void },
) {
  const follow = (settings: TenantSettings) => ({
    settings,
    clients: createClients(settings.clients, {
      builtin: common.builtinClient,
      redirectUris: common.redirectUris,
      demoOf: addresses,
      secrets: [...secrets, ...(settings.formerSecrets ?? [])],
    }),
    readings: activate(settings.readings),
  })
  const first: OwnSettings = { ...follow(common), keys: commonKeys }
  let own = first
  const change = (changed: Partial<OwnSettings>) => {
    own = { ...own, ...changed }
    onChange(own)
  }
  const changeSettings = state.add({
    name: 'settings',
    schema: tenantSettingsSchema,
    apply: (settings = common) => change(follow(settings)),
  })
  const changeKeys = state.add({
    name: 'keys',
    schema: storedRingSchema,
    apply: (ring) => change({ keys: ring ? restoreKeyRing(commonKeys, ring) : commonKeys }),
  })
  return {
    own: first,
    /** Whether the tenant has rotated its keys. */
    hasRotatedKeys: () => own.keys !== commonKeys,
    /** Restores the first keys: the key set and the signatures are as before the first rotation. */
    restoreKeys: () => changeKeys(() => undefined),
    /** Changes the given settings and keeps the others. */
    configure: (change: Partial<TenantSettings>) =>
      changeSettings((settings = common) => {
        const { clients, formerSecrets: former } = settings
        const formerSecrets = change.clients ? withSecretsOf(clients, settings) : former
        // The part of the sandbox's settings that a tenant may change.
        return { ...tenantSettingsSchema.parse(settings), formerSecrets, ...change }
      }),
    /** Rotates the keys by one stage. @throws Refusal when the stage is out of turn */
    async rotateKeys(stage: RotationStage | 'lend') {
      const before = own.keys
      const after = before.rotate(stage, generateKeys)
      const [were, will, first] = await Promise.all([before.toStored(), after.toStored(), commonKeys.toStored()])
      const isFirst = JSON.stringify(will) === JSON.stringify(first)
      try {
        await changeKeys((stored = were) => {
          if (JSON.stringify(stored) === JSON.stringify(were)) return isFirst ? undefined : will
          throw Refusal.conflict(`${stage}: another call has just rotated the keys; look at them and try again`)
        })
      } catch (error) {
        await state.refresh()
        throw error
      }
    },
  }
}

/** Former secrets that a tenant keeps, at most: the oldest go. */
const MAX_FORMER_SECRETS = 200

const withSecretsOf = (clients: TenantSettings['clients'], { formerSecrets = [] }: TenantSettings) =>
  [...new Set([...formerSecrets, ...clients.map(({ clientSecret }) => clientSecret)])].slice(-MAX_FORMER_SECRETS)

const TABLE = 'state'

/** The changeable state of one tenant, kept where all processes read it. */
type TenantState = ReturnType<typeof createTenantState>

/** A part of a tenant that changes at run time and outlives a reset: settings, keys. Its value is JSON. */
interface StatePart<Value> {
  readonly name: string
  readonly schema: z.ZodType<Value>
  /** Applies a value; `undefined` restores the declared one. */
  apply(value: Value | undefined): void
}

/** Creates the state of one tenant: a table with one row for each part. */
export function createTenantState(tables: Tables) {
  const readers: ((rows: ReadonlyMap<string, unknown>) => void)[] = []
  let readings = 0
  let newest = 0

  /** Applies the changes of other processes. */
  const refresh = async () => {
    const reading = ++readings
    const rows = new Map(await tables.list(TABLE))
    // Two reads may overlap: the one that began later is newer, even if it ends first.
    if (reading < newest) return
    newest = reading
    for (const read of readers) read(rows)
  }

  return {
    refresh,
    /**
     * Adds a part, and returns the function that changes its value by a pure function: `undefined` restores the declared value; an error
     * is passed on, and nothing changes then.
     */
    add<Value>({ name, schema, apply }: StatePart<Value>) {
      // Every call of the tenant reads the state first, a reset too.
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
      return async (change: (value: Value | undefined) => Value | undefined) => {
        await tables.update(TABLE, name, (value) => change(parse(value)))
        // Reads the row back, so that all processes apply all changes in the same order.
        await refresh()
      }
    },
  }
}
