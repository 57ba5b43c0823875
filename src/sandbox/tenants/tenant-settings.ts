import { Refusal } from '../../oidc/refusal.ts'
import type { ClientSettings } from '../clients/client-schema.ts'
import { createClients, type SandboxClients } from '../clients/clients.ts'
import { type KeyRing, type RotationStage, restoreKeyRing, storedRingSchema } from '../keys/key-ring.ts'
import { type ActiveReadings, activate } from '../readings/active-readings.ts'
import { type SharedParts, type TenantSettings, tenantSettingsSchema } from './shared-parts.ts'
import type { TenantState } from './tenant-state.ts'

/** The settings, clients and keys of one tenant, as they are now, and what changes them. */
export interface ChangeableSettings {
  readonly settings: TenantSettings
  readonly clients: SandboxClients
  readonly keys: KeyRing
  /** Changes what is given and leaves the rest. */
  configure(change: Partial<TenantSettings>): Promise<void>
  /** Rotates the keys by one stage. @throws Refusal when the stage is out of turn */
  rotateKeys(stage: RotationStage | 'lend'): Promise<void>
  /** Whether its keys are others than those it began with. */
  hasRotatedKeys(): boolean
  /** Back to the keys it began with: the key set and the signatures are as before the first rotation. */
  restoreKeys(): Promise<void>
}

/** The same, with the readings that hold. */
export interface TenantOwn extends ChangeableSettings {
  readonly readings: ActiveReadings
}

/** Creates the settings of one tenant: those of the sandbox, until it changes its own. */
export function createTenantSettings(
  { settings: common, keys: commonKeys, secrets, generateKeys }: SharedParts,
  { state, baseUrl }: { state: TenantState; baseUrl: string },
): TenantOwn {
  const clientsOf = (clients: readonly ClientSettings[]) =>
    createClients(clients, { builtin: common.builtinClient, demoOf: baseUrl, secrets })

  let settings: TenantSettings = common
  let clients = clientsOf(common.clients)
  let keys = commonKeys
  let readings = activate(common.readings)
  const changeSettings = state.add({
    name: 'settings',
    schema: tenantSettingsSchema,
    apply(own = common) {
      settings = own
      clients = clientsOf(own.clients)
      readings = activate(own.readings)
    },
  })
  const changeKeys = state.add({
    name: 'keys',
    schema: storedRingSchema,
    apply(ring) {
      keys = ring ? restoreKeyRing(commonKeys, ring) : commonKeys
    },
  })
  return {
    get settings() {
      return settings
    },
    get clients() {
      return clients
    },
    get keys() {
      return keys
    },
    get readings() {
      return readings
    },
    hasRotatedKeys: () => keys !== commonKeys,
    restoreKeys: () => changeKeys(() => undefined),
    configure: (change) =>
      changeSettings((own = common) => {
        const { lifetimes, clients: declared, defaults, slowReplySeconds, readings: set } = own
        return { lifetimes, clients: declared, defaults, slowReplySeconds, readings: set, ...change }
      }),
    async rotateKeys(stage) {
      const before = keys
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
