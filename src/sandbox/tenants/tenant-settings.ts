import { Refusal } from '../../oidc/refusal.ts'
import { createClients, type SandboxClients, secretsOf } from '../clients/clients.ts'
import { type KeyRing, type RotationStage, restoreKeyRing, storedRingSchema } from '../keys/key-ring.ts'
import { type ActiveReadings, activate } from '../readings/active-readings.ts'
import { type SharedParts, type TenantSettings, tenantSettingsSchema } from './shared-parts.ts'
import type { TenantState } from './tenant-state.ts'

/** What a tenant has of its own, as it is now. */
export interface OwnSettings {
  readonly settings: TenantSettings
  readonly clients: SandboxClients
  readonly keys: KeyRing
  readonly readings: ActiveReadings
}

/** What changes the settings and keys of a tenant. */
export interface SettingsChanges {
  /** Changes what is given and leaves the rest. */
  configure(change: Partial<TenantSettings>): Promise<void>
  /** Rotates the keys by one stage. @throws Refusal when the stage is out of turn */
  rotateKeys(stage: RotationStage | 'lend'): Promise<void>
  /** Whether its keys are others than those it began with. */
  hasRotatedKeys(): boolean
  /** Back to the keys it began with: the key set and the signatures are as before the first rotation. */
  restoreKeys(): Promise<void>
}

/** Creates the settings of one tenant: those of the sandbox, until it changes its own. @param options.onChange given all that holds then */
export function createTenantSettings(
  { settings: common, keys: commonKeys, secrets, generateKeys }: SharedParts,
  { state, baseUrl, onChange }: { state: TenantState; baseUrl: string; onChange(own: OwnSettings): void },
): SettingsChanges & { readonly own: OwnSettings } {
  const follow = (settings: TenantSettings) => ({
    settings,
    clients: createClients(settings.clients, {
      builtin: common.builtinClient,
      demoOf: baseUrl,
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
    hasRotatedKeys: () => own.keys !== commonKeys,
    restoreKeys: () => changeKeys(() => undefined),
    configure: (change) =>
      changeSettings((settings = common) => {
        const { clients, formerSecrets: former } = settings
        const formerSecrets = change.clients ? withSecretsOf(clients, settings) : former
        // Of the settings of the sandbox only those that a tenant may have of its own.
        return { ...tenantSettingsSchema.parse(settings), formerSecrets, ...change }
      }),
    async rotateKeys(stage) {
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

/** Former secrets that a tenant keeps: the oldest go. A secret is kept alone and as Basic credentials have it. */
const MAX_FORMER_SECRETS = 200

const withSecretsOf = (clients: TenantSettings['clients'], { formerSecrets = [] }: TenantSettings) =>
  [...new Set([...formerSecrets, ...clients.flatMap(secretsOf)])].slice(-MAX_FORMER_SECRETS)
