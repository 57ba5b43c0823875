import type * as z from 'zod'
import { parseRecord } from '../../service/oidc/collection.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { camelCased } from '../../service/text/camel-case.ts'
import type { Addresses } from '../addresses/addresses.ts'
import { createClients, type SandboxClients } from '../clients/clients.ts'
import {
  type KeyRing,
  type RotationStage,
  restoreKeyRing,
  storedRingSchema,
} from '../keys/key-ring.ts'
import { type ActiveReadings, activate } from '../readings/readings.ts'
import type { Tables } from '../tables.ts'
import {
  type SharedParts,
  type TenantChanges,
  type TenantSettings,
  tenantChangesSchema,
} from './shared-parts.ts'

/** The settings and keys of a tenant at present. */
export interface OwnSettings {
  readonly settings: TenantSettings
  readonly clients: SandboxClients
  readonly keys: KeyRing
  readonly readings: ActiveReadings
}

/**
 * Creates the settings of one tenant. Each is the declared one until the tenant sets its own.
 * @param options.onChange called with all present settings after each change
 */
export function createTenantSettings(
  shared: SharedParts,
  {
    state,
    addresses,
    onChange,
  }: { state: TenantState; addresses: Addresses; onChange(own: OwnSettings): void },
) {
  const { keys: commonKeys, generateKeys } = shared
  let changes: TenantChanges = {}
  const present = () => {
    const settings = withChanges(shared.settings, changes)
    return {
      settings,
      clients: createClients(settings.clients, {
        builtin: shared.settings.builtinClient,
        redirectUris: shared.settings.redirectUris,
        demoOf: addresses,
        secrets: [...shared.secrets, ...(settings.formerSecrets ?? [])],
      }),
      readings: activate(settings.readings),
    }
  }
  const first: OwnSettings = { ...present(), keys: commonKeys }
  let own = first
  const change = (changed: Partial<OwnSettings>) => {
    own = { ...own, ...changed }
    onChange(own)
  }
  const changeSettings = state.add({
    name: 'settings',
    schema: tenantChangesSchema,
    apply(set = {}) {
      changes = set
      change(present())
    },
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
    /**
     * Sets the given settings. The others stay: those that were set before, and those that follow
     * the declared ones.
     */
    configure: (given: TenantChanges) =>
      changeSettings((set = {}) => ({
        ...set,
        ...given,
        ...(given.lifetimes && { lifetimes: { ...set.lifetimes, ...given.lifetimes } }),
        ...(given.defaults && { defaults: { ...set.defaults, ...given.defaults } }),
        ...(given.clients && { formerSecrets: formerSecretsOf(withChanges(shared.settings, set)) }),
      })),
    /**
     * Follows the declared settings, which have been replaced. What the tenant has set itself
     * stays.
     */
    followSettings: () => change(present()),
    /** The names of the settings that the tenant has set itself: `persona`, `slowReplySeconds`. */
    namesOfOwn() {
      const { defaults, formerSecrets: _, ...values } = changes
      return Object.keys(camelCased({ ...values, ...defaults }))
    },
    /** Rotates the keys by one stage. @throws Refusal when the stage is out of turn */
    async rotateKeys(stage: RotationStage | 'lend') {
      const before = own.keys
      const after = before.rotate(stage, generateKeys)
      const [were, will, first] = await Promise.all([
        before.toStored(),
        after.toStored(),
        commonKeys.toStored(),
      ])
      const isFirst = JSON.stringify(will) === JSON.stringify(first)
      try {
        await changeKeys((stored = were) => {
          if (JSON.stringify(stored) === JSON.stringify(were)) return isFirst ? undefined : will
          throw Refusal.conflict(
            `${stage}: another call has just rotated the keys; look at them and try again`,
          )
        })
      } catch (error) {
        await state.refresh()
        throw error
      }
    },
  }
}

/**
 * The declared settings, and in their place those that a tenant has set. Former secrets of both
 * stay masked.
 */
function withChanges(declared: TenantSettings, changes: TenantChanges): TenantSettings {
  const { defaults, lifetimes, formerSecrets = [], ...values } = changes
  const nameOf = (set: string | null | undefined, name: string | undefined) =>
    set === undefined ? name : (set ?? undefined)
  return {
    ...declared,
    ...camelCased(values),
    lifetimes: { ...declared.lifetimes, ...(lifetimes && camelCased(lifetimes)) },
    defaults: {
      persona: nameOf(defaults?.persona, declared.defaults.persona),
      outcome: nameOf(defaults?.outcome, declared.defaults.outcome),
    },
    formerSecrets: [...(declared.formerSecrets ?? []), ...formerSecrets],
  }
}

/** Former secrets that are kept, at most: the oldest go. */
const MAX_FORMER_SECRETS = 200

/** The secrets to mask once the clients of these settings have been replaced. */
export const formerSecretsOf = ({
  clients,
  formerSecrets = [],
}: TenantSettings): readonly string[] =>
  [...new Set([...formerSecrets, ...clients.map(({ clientSecret }) => clientSecret)])].slice(
    -MAX_FORMER_SECRETS,
  )

const TABLE = 'state'

/** The changeable state of one tenant, kept where all processes read it. */
type TenantState = ReturnType<typeof createTenantState>

/**
 * A part of a tenant that changes at run time and outlives a reset: settings, keys. Its value is
 * JSON.
 */
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
     * Adds a part, and returns the function that changes its value by a pure function: `undefined`
     * restores the declared value; an error is passed on, and nothing changes then.
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
