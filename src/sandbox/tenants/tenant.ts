import { DamagedRecord } from '../../service/oidc/collection.ts'
import type { Awaitable } from '../../service/oidc/ports.ts'
import type { Provider } from '../../service/oidc/provider.ts'
import { BRAND } from '../../service/oidc/rules/profile.ts'
import { type Addresses, baseUrlAt, pathOf } from '../addresses/addresses.ts'
import {
  type ClockMemory,
  type ClockMove,
  clockMemorySchema,
  createClock,
  moveClock,
  type SandboxClock,
  UNMOVED,
} from '../clock/clock.ts'
import type { Journal } from '../journal/journal.ts'
import { maskedJournal } from '../journal/masked-journal.ts'
import { createPersonas, type Personas } from '../personas/personas.ts'
import type { Expectations } from '../queue/expectations.ts'
import { createQueue, type Queue } from '../queue/queue.ts'
import type { Scenarios } from '../queue/scenarios.ts'
import { createIds } from './ids.ts'
import type { SandboxSettings, SharedParts } from './shared-parts.ts'
import { createTenantSettings, type OwnSettings, type SettingsChanges } from './tenant-settings.ts'
import { createTenantState, type TenantState } from './tenant-state.ts'

/**
 * One isolated sandbox in the process, with its own base URL, clock, personas, queue and records.
 */
export interface Tenant extends OwnSettings, SettingsChanges {
  readonly name: string
  /** The path of the base URL without a trailing slash: the empty string, or `/t/NAME`. */
  readonly basePath: string
  readonly addresses: Addresses
  readonly provider: Provider
  readonly clock: SandboxClock
  readonly personas: Personas
  readonly queue: Queue
  readonly expectations: Expectations
  readonly scenarios: Scenarios
  readonly journal: Journal
  /** Applies changes of other processes before each request; absent in a single process. */
  refresh?(): Awaitable<void>
  /**
   * Moves the clock. No other function does.
   * @throws Refusal when the move leaves the years 0001 to 9999
   */
  moveClock(move: ClockMove): Promise<void>
  /**
   * Restores the declared state of personas, expectations, scenarios, clock, keys, journal, codes
   * and tokens. Clients and other settings are kept.
   */
  reset(): Promise<void>
  /** Deletes all records of the tenant. The tenant must not be used afterwards. */
  forget(): Promise<void>
}

/**
 * Creates a tenant. Its settings, clients, keys and readings are replaced as a whole when they
 * change.
 * @param options.onDriven awaited before a caller changes the behaviour of the tenant; flows do not
 * call it
 */
export function createTenant(
  shared: SharedParts,
  {
    name,
    addresses,
    onDriven = async () => {},
  }: { name: string; addresses: Addresses; onDriven?: (tenant: Tenant) => Promise<void> },
): Tenant {
  const { journal, agree } = shared
  const { baseUrl } = addresses
  const idsFor = (purpose: string) =>
    createIds({ seed: shared.declared.settings.seed, scope: `${name} ${purpose}` })
  const clock = createClock()
  const records = shared.createRecords(name, clock)
  const { store, tables } = records
  const state = createTenantState(records.stateTables)
  const changeClock = addClockTo(state, clock)
  const moveOwnClock = (move: ClockMove) =>
    changeClock((memory = UNMOVED) => movedMemory(memory, move))
  const personas = createPersonas({
    declared: () => shared.declared.settings.personas,
    clock,
    ids: idsFor('personas'),
    records,
  })
  const queue = createQueue({
    idsFor,
    tables,
    lastEnded: () => journal.lastEnded(name),
    moveClock: moveOwnClock,
    announce: (event) => journal.announce({ type: 'scenario', tenant: name, data: { ...event } }),
  })
  const { expectations, scenarios } = queue
  const { first, ...changes } = createTenantSettings(shared, {
    state,
    addresses,
    onChange(changed) {
      replaceMembers(tenant, changed)
      replaceMembers(provider, providedBy(changed, shared.declared.settings))
    },
  })
  const provider: Provider = {
    baseUrl,
    clock,
    store,
    ageKeys: personas,
    ids: idsFor('service'),
    ...providedBy(first, shared.declared.settings),
  }
  const driving =
    <Given extends unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await onDriven(tenant)
      return change(...given)
    }
  const tenant: Tenant = {
    ...first,
    ...changes,
    name,
    basePath: pathOf(baseUrl),
    addresses,
    provider,
    clock,
    personas: {
      ...personas,
      put: driving(personas.put),
      putAll: driving(personas.putAll),
      remove: driving(personas.remove),
    },
    queue,
    expectations: { ...expectations, add: driving(expectations.add) },
    scenarios: { ...scenarios, arm: driving(scenarios.arm) },
    journal: maskedJournal(journal, () => tenant.clients.mask),
    ...(agree && { refresh: () => refreshAll(agree, state) }),
    moveClock: driving(moveOwnClock),
    configure: driving(changes.configure),
    rotateKeys: driving(changes.rotateKeys),
    restoreKeys: driving(changes.restoreKeys),
    async reset() {
      // With a seed, the tenant draws the same identifiers again after a reset.
      replaceMembers(provider, { ids: idsFor('service') })
      await scenarios.clear().catch(unlessDamaged)
      await changeClock(() => UNMOVED)
      await changes.restoreKeys()
      await store.clear()
      await tables.clear()
      await journal.clear(name)
    },
    async forget() {
      await store.clear()
      await tables.clear()
      await records.stateTables.clear()
      await journal.forget(name)
    },
  }
  return tenant
}

/** Stores the clock in the state of the tenant, which all processes share. */
const addClockTo = (state: TenantState, clock: SandboxClock) =>
  state.add({
    name: 'clock',
    schema: clockMemorySchema,
    apply: (memory = UNMOVED) => clock.recall(memory),
  })

/**
 * The state of a clock after a move.
 * @throws Refusal when the move leaves the years 0001 to 9999
 */
function movedMemory(memory: ClockMemory, move: ClockMove): ClockMemory {
  const draft = createClock()
  draft.recall(memory)
  moveClock(draft, move)
  return draft.remember()
}

async function refreshAll(agree: () => Promise<void>, state: TenantState): Promise<void> {
  await Promise.all([agree(), state.refresh()])
}

/**
 * Replaces members of a tenant or its provider. The views of `tenantAt` inherit from both objects
 * and see the change at once.
 */
function replaceMembers<Whole extends object>(whole: Whole, members: Partial<Whole>): void {
  Object.assign(whole, members)
}

/**
 * A view of the tenant under another address: only the addresses in its answers differ. The view
 * inherits all other members and sees later changes of the tenant.
 * @param baseUrl without a trailing slash
 */
export function tenantAt(tenant: Tenant, baseUrl: string): Tenant {
  if (baseUrl === tenant.provider.baseUrl) return tenant
  const provider: Provider = Object.create(tenant.provider, { baseUrl: { value: baseUrl } })
  return Object.create(tenant, {
    addresses: { value: { ...tenant.addresses, baseUrl } },
    provider: { value: provider },
  })
}

/** Another tenant, under the address at which the caller reached `tenant`. */
export function tenantBeside(tenant: Tenant, other: Tenant): Tenant {
  const { origin } = new URL(tenant.provider.baseUrl)
  return tenantAt(other, baseUrlAt(origin, other.addresses))
}

/** The settings of the service, with the names of `Provider`. */
const providedBy = (
  { settings, clients, keys, readings: { policy } }: OwnSettings,
  { profile, vocabulary, certifications }: SandboxSettings,
) => ({
  profile,
  vocabulary,
  certifications,
  brand: policy.brand ?? BRAND[profile],
  policy,
  lifetimes: settings.lifetimes,
  signer: keys,
  clients,
})

/** A damaged scenario does not stop a reset: clearing the tables removes it. */
const unlessDamaged = (error: unknown) => {
  if (!(error instanceof DamagedRecord)) throw error
}
