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
import {
  type SharedParts,
  type TenantChanges,
  type TenantSettings,
  tenantChangesSchema,
} from './shared-parts.ts'
import type { TenantState } from './tenant-state.ts'

/** The current settings and keys of a tenant. */
export interface OwnSettings {
  readonly settings: TenantSettings
  readonly clients: SandboxClients
  readonly keys: KeyRing
  readonly readings: ActiveReadings
}

/** Functions that change the settings and keys of one tenant. */
export interface SettingsChanges {
  /** Sets the given settings. Other settings are kept, whether own or declared. */
  configure(given: TenantChanges): Promise<void>
  /** Applies new declared settings. Settings that the tenant has set itself are kept. */
  followSettings(): void
  /**
   * The names of the settings that the tenant has set itself, such as `persona` or
   * `slowReplySeconds`.
   */
  namesOfOwn(): string[]
  /** Whether the tenant has rotated its keys. */
  hasRotatedKeys(): boolean
  /**
   * Rotates the keys by one stage.
   * @throws Refusal when the stage is out of order
   */
  rotateKeys(stage: RotationStage | 'lend'): Promise<void>
  /** Restores the keys from before the first rotation. */
  restoreKeys(): Promise<void>
}

/** The initial settings of a tenant, and the functions that change them. */
interface CreatedSettings extends SettingsChanges {
  readonly first: OwnSettings
}

/**
 * Creates the settings of one tenant. A setting follows the declared setting until the tenant sets
 * its own.
 * @param options.onChange called with all current settings after each change
 */
export function createTenantSettings(
  shared: SharedParts,
  {
    state,
    addresses,
    onChange,
  }: { state: TenantState; addresses: Addresses; onChange(own: OwnSettings): void },
): CreatedSettings {
  const { keys: commonKeys } = shared
  let changes: TenantChanges = {}
  const present = () => presentSettings(shared, changes, addresses)
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
    first,
    configure: (given) =>
      changeSettings((set = {}) => addChanges(shared.declared.settings, set, given)),
    followSettings: () => change(present()),
    namesOfOwn() {
      const { defaults, formerSecrets: _, ...values } = changes
      return Object.keys(camelCased({ ...values, ...defaults }))
    },
    hasRotatedKeys: () => own.keys !== commonKeys,
    async rotateKeys(stage) {
      const before = own.keys
      const after = before.rotate(stage, shared.generateKeys)
      const [storedBefore, storedAfter, storedFirst] = await Promise.all([
        before.toStored(),
        after.toStored(),
        commonKeys.toStored(),
      ])
      const next = isSameJson(storedAfter, storedFirst) ? undefined : storedAfter
      try {
        await changeKeys((stored = storedBefore) => {
          if (isSameJson(stored, storedBefore)) return next
          throw Refusal.conflict(
            `${stage}: another call has just rotated the keys; look at them and try again`,
          )
        })
      } catch (error) {
        await state.refresh()
        throw error
      }
    },
    restoreKeys: () => changeKeys(() => undefined),
  }
}

const isSameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The settings, clients and readings with the changes of a tenant. */
function presentSettings(
  { declared: { settings: declared }, secrets }: SharedParts,
  changes: TenantChanges,
  addresses: Addresses,
): Omit<OwnSettings, 'keys'> {
  const settings = withChanges(declared, changes)
  return {
    settings,
    clients: createClients(settings.clients, {
      builtin: declared.builtinClient,
      redirectUris: declared.redirectUris,
      demoOf: addresses,
      secrets: [...secrets, ...(settings.formerSecrets ?? [])],
    }),
    readings: activate(settings.readings),
  }
}

/** Adds the given settings to the changes of a tenant. */
const addChanges = (
  declared: TenantSettings,
  set: TenantChanges,
  given: TenantChanges,
): TenantChanges => ({
  ...set,
  ...given,
  ...(given.lifetimes && { lifetimes: { ...set.lifetimes, ...given.lifetimes } }),
  ...(given.defaults && { defaults: { ...set.defaults, ...given.defaults } }),
  ...(given.clients && { formerSecrets: formerSecretsOf(withChanges(declared, set)) }),
})

/**
 * The declared settings, overridden by the changes of a tenant. Former secrets of both are kept, so
 * that they stay masked.
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

/**
 * Maximum number of former secrets: as many as five full lists of clients have. The oldest are
 * removed.
 */
const MAX_FORMER_SECRETS = 1_000

/** The secrets to mask after the clients of these settings are replaced, the newest last. */
export function formerSecretsOf({
  clients,
  formerSecrets = [],
}: TenantSettings): readonly string[] {
  const replaced = new Set(clients.map(({ clientSecret }) => clientSecret))
  const earlier = formerSecrets.filter((secret) => !replaced.has(secret))
  return [...new Set(earlier), ...replaced].slice(-MAX_FORMER_SECRETS)
}
