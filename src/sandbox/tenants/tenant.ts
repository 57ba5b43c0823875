import type { Provider } from '../../oidc/provider.ts'
import { Refusal } from '../../oidc/refusal.ts'
import { type Addresses, pathOf } from '../addresses/addresses.ts'
import type { ClientSettings } from '../clients/client-schema.ts'
import { createClients, type SandboxClients } from '../clients/clients.ts'
import { clockMemorySchema, createClock, type SandboxClock, UNMOVED } from '../clock/clock.ts'
import { type ClockMove, moveClock } from '../clock/clock-move.ts'
import { createExpectations, type Expectations } from '../decision/expectations.ts'
import type { Journal } from '../journal/journal.ts'
import { type KeyRing, type RotationStage, restoreKeyRing, storedRingSchema } from '../keys/key-ring.ts'
import { createPersonas, type Personas } from '../personas/personas.ts'
import { createScenarios, type Scenarios } from '../scenarios/scenarios.ts'
import { createIds } from './ids.ts'
import { type SharedParts, type TenantSettings, tenantSettingsSchema } from './shared-parts.ts'
import { createTenantState } from './tenant-state.ts'

/** One isolated sandbox inside the process: its own address, clock, personas, expectations and records. */
export interface Tenant {
  readonly name: string
  /** The path of its base URL, without a trailing slash: the empty string, or `/t/NAME`. */
  readonly basePath: string
  readonly addresses: Addresses
  readonly provider: Provider
  readonly clock: SandboxClock
  readonly personas: Personas
  readonly expectations: Expectations
  readonly scenarios: Scenarios
  readonly journal: Journal
  readonly settings: TenantSettings
  readonly clients: SandboxClients
  readonly keys: KeyRing
  /** Applies what other processes changed in this tenant; called before each request is served. */
  refresh(): Promise<void>
  /** Every move of the clock goes through here. @throws Refusal when it leads out of the calendar */
  moveClock(move: ClockMove): Promise<void>
  /** Changes what is given and leaves the rest. */
  configure(change: Partial<TenantSettings>): Promise<void>
  /** Rotates the keys by one stage. @throws Refusal when the stage is out of turn */
  rotateKeys(stage: RotationStage): Promise<void>
  /** Resets personas, expectations, scenarios, clock, journal, codes and tokens to the declared state. Clients and keys stay. */
  reset(): Promise<void>
  /** Deletes all records of the tenant, which is not used afterwards. */
  forget(): Promise<void>
}

export interface TenantOptions {
  readonly name: string
  readonly addresses: Addresses
  /** Called with the tenant, and awaited, before a caller changes how it behaves; not for what its flows change. */
  onDriven?(tenant: Tenant): Promise<void>
}

/** Creates a tenant. */
export function createTenant(
  shared: SharedParts,
  { name, addresses, onDriven = async () => {} }: TenantOptions,
): Tenant {
  const { settings: common, journal } = shared
  const clock = createClock()
  const idsFor = (purpose: string) => createIds({ seed: common.seed, scope: `${name} ${purpose}` })
  const clientsOf = (clients: readonly ClientSettings[]) =>
    createClients(clients, { builtin: common.builtinClient, demoOf: addresses.baseUrl })

  let settings: TenantSettings = common
  let clients = clientsOf(common.clients)
  let keys = shared.keys
  let ids = idsFor('service')
  const store = shared.createStore(name, clock)
  const tables = shared.createTables(name, 'changes')
  const stateTables = shared.createTables(name, 'state')
  const state = createTenantState(stateTables)
  const changeClock = state.add({
    name: 'clock',
    schema: clockMemorySchema,
    apply: (memory = UNMOVED) => clock.recall(memory),
  })
  const changeSettings = state.add({
    name: 'settings',
    schema: tenantSettingsSchema,
    apply(own = common) {
      settings = own
      clients = clientsOf(own.clients)
    },
  })
  const changeKeys = state.add({
    name: 'keys',
    schema: storedRingSchema,
    apply(ring) {
      keys = ring ? restoreKeyRing(shared.keys, ring) : shared.keys
    },
  })
  const personas = createPersonas({ declared: common.personas, clock, ids: idsFor('personas'), tables })
  const expectations = createExpectations({
    ids: idsFor('expectations'),
    tables,
    lastEnded: () => journal.lastEnded(name),
  })
  const moveOwnClock = (move: ClockMove) =>
    changeClock((memory = UNMOVED) => {
      const draft = createClock()
      draft.recall(memory)
      moveClock(draft, move)
      return draft.remember()
    })
  const scenarios = createScenarios({
    ids: idsFor('scenarios'),
    tables,
    moveClock: moveOwnClock,
    announce: (event) => journal.announce({ type: 'scenario', tenant: name, data: { ...event } }),
  })

  const provider: Provider = {
    baseUrl: addresses.baseUrl,
    profile: common.profile,
    vocabulary: common.vocabulary,
    certifications: common.certifications,
    clock,
    get lifetimes() {
      return settings.lifetimes
    },
    store,
    get ids() {
      return ids
    },
    get signer() {
      return keys
    },
    get clients() {
      return clients
    },
    ageKeys: personas,
  }
  const driving =
    <Given extends unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await onDriven(tenant)
      return change(...given)
    }
  const tenant: Tenant = {
    name,
    basePath: pathOf(addresses.baseUrl),
    addresses,
    provider,
    clock,
    personas: { ...personas, put: driving(personas.put), remove: driving(personas.remove) },
    expectations: { ...expectations, add: driving(expectations.add) },
    scenarios: { ...scenarios, arm: driving(scenarios.arm) },
    journal,
    get settings() {
      return settings
    },
    get clients() {
      return clients
    },
    get keys() {
      return keys
    },
    refresh: shared.isShared ? state.refresh : async () => {},
    moveClock: driving(moveOwnClock),
    configure: driving((change) =>
      changeSettings((own = common) => {
        const { lifetimes, clients: declared, defaults } = own
        return { lifetimes, clients: declared, defaults, ...change }
      }),
    ),
    rotateKeys: driving(async (stage) => {
      const before = keys
      const after = before.rotate(stage, shared.generateKeys)
      const [were, will] = await Promise.all([before.toStored(), after.toStored()])
      try {
        await changeKeys((stored = were) => {
          if (JSON.stringify(stored) === JSON.stringify(were)) return will
          throw Refusal.conflict(`${stage}: another call has just rotated the keys; look at them and try again`)
        })
      } catch (error) {
        await state.refresh()
        throw error
      }
    }),
    async reset() {
      // A seeded tenant draws the same ids again from here.
      ids = idsFor('service')
      await scenarios.clear()
      await changeClock(() => UNMOVED)
      await Promise.all([store.clear(), tables.clear()])
      await journal.clear(name)
    },
    async forget() {
      await Promise.all([store.clear(), tables.clear(), stateTables.clear()])
      await journal.clear(name)
    },
  }
  return tenant
}
