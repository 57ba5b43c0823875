import { DamagedRecord } from '../../oidc/collection.ts'
import type { Provider } from '../../oidc/provider.ts'
import { type Addresses, pathOf } from '../addresses/addresses.ts'
import { type ClockMemory, clockPart, createClock, type SandboxClock, UNMOVED } from '../clock/clock.ts'
import { type ClockMove, moveClock } from '../clock/clock-move.ts'
import type { TenantCoverage } from '../coverage/coverage-keeper.ts'
import { createExpectations, type Expectations } from '../decision/expectations.ts'
import type { Journal, JournalEvent } from '../journal/journal.ts'
import { createPersonas, type Personas } from '../personas/personas.ts'
import type { ActiveReadings } from '../readings/active-readings.ts'
import { createScenarios, type Scenarios } from '../scenarios/scenarios.ts'
import { createIds } from './ids.ts'
import { createOneStep, type InOneStep } from './one-step.ts'
import { ProviderView } from './provider-view.ts'
import type { StagedRecords } from './staged-records.ts'
import type { TenantParts } from './tenant-parts.ts'
import { type ChangeableSettings, createTenantSettings } from './tenant-settings.ts'
import { type ChangeState, createTenantState } from './tenant-state.ts'

/** One isolated sandbox inside the process: its own address, clock, personas, expectations and records. */
export interface Tenant extends ChangeableSettings {
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
  readonly coverage: TenantCoverage
  readonly readings: ActiveReadings
  /** Applies what other processes changed in this tenant; called before each request is served. */
  refresh(): Promise<void>
  /** Every move of the clock goes through here. @throws Refusal when it leads out of the calendar */
  moveClock(move: ClockMove): Promise<void>
  /** Resets personas, expectations, scenarios, clock, journal, codes and tokens to the declared state. Clients and keys stay. */
  reset(): Promise<void>
  /** Deletes all records of the tenant, which is not used afterwards. */
  forget(): Promise<void>
  /**
   * Serves one call by a view of this tenant: its records, expectations, scenarios, personas and clock change in one step, when
   * the call has its answer, or not at all.
   */
  readonly inOneStep: InOneStep<Tenant>
}

export interface TenantOptions {
  readonly name: string
  readonly addresses: Addresses
  /** Called with the tenant, and awaited, before a caller changes how it behaves; not for what its flows change. */
  onDriven?(tenant: Tenant): Promise<void>
}

/** The clock of a view, what changes it, and where the view sends its events. */
interface TimeAndEvents {
  readonly clock: SandboxClock
  readonly changeClock: ChangeState<ClockMemory>
  announce(event: JournalEvent): void
}

/** Creates a tenant. */
export function createTenant(
  shared: TenantParts,
  { name, addresses, onDriven = async () => {} }: TenantOptions,
): Tenant {
  const { settings: common, journal } = shared
  const clock = createClock()
  const idsFor = (purpose: string) => createIds({ seed: common.seed, scope: `${name} ${purpose}` })
  let ids = idsFor('service')
  const idsOfParts = {
    personas: idsFor('personas'),
    expectations: idsFor('expectations'),
    scenarios: idsFor('scenarios'),
  }
  const records = shared.createRecords(name, clock)
  const state = createTenantState(records.stateTables)
  const own = createTenantSettings(shared, { state, baseUrl: addresses.baseUrl })
  const changeClock = state.add(clockPart(clock))
  const driving =
    <Given extends unknown[], Result>(change: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      await onDriven(tenant)
      return change(...given)
    }

  /** The tenant on these records; `clock` shows what they say. */
  const createView = (
    { store, tables }: Pick<StagedRecords, 'store' | 'tables'>,
    { clock, changeClock, announce }: TimeAndEvents,
  ): Tenant => {
    const moveOwnClock = (move: ClockMove) =>
      changeClock((memory = UNMOVED) => {
        const draft = createClock()
        draft.recall(memory)
        moveClock(draft, move)
        return draft.remember()
      })
    const personas = createPersonas({ declared: common.personas, clock, ids: idsOfParts.personas, tables })
    const expectations = createExpectations({
      ids: idsOfParts.expectations,
      tables,
      lastEnded: () => journal.lastEnded(name),
    })
    const scenarios = createScenarios({
      ids: idsOfParts.scenarios,
      tables,
      moveClock: moveOwnClock,
      announce: (event) => announce({ type: 'scenario', tenant: name, data: { ...event } }),
    })
    const readings = () => own.readings
    const provider = new ProviderView({
      baseUrl: addresses.baseUrl,
      clock,
      store,
      ageKeys: personas,
      common,
      own,
      ids: () => ids,
      readings,
    })
    return {
      name,
      basePath: pathOf(addresses.baseUrl),
      addresses,
      provider,
      clock,
      personas: {
        ...personas,
        put: driving(personas.put),
        putAll: driving(personas.putAll),
        remove: driving(personas.remove),
      },
      expectations: { ...expectations, add: driving(expectations.add) },
      scenarios: { ...scenarios, arm: driving(scenarios.arm) },
      journal,
      get settings() {
        return own.settings
      },
      get clients() {
        return own.clients
      },
      get keys() {
        return own.keys
      },
      get readings() {
        return readings()
      },
      moveClock: driving(moveOwnClock),
      ...whole,
    }
  }

  /** What is changed for the tenant as a whole, at once. */
  const whole = {
    coverage: shared.coverage.of(name),
    refresh: shared.isShared ? state.refresh : async () => {},
    configure: driving(own.configure),
    rotateKeys: driving(own.rotateKeys),
    restoreKeys: driving(own.restoreKeys),
    hasRotatedKeys: own.hasRotatedKeys,
    async reset() {
      // A seeded tenant draws the same ids again from here.
      ids = idsFor('service')
      await tenant.scenarios.clear().catch(unlessDamaged)
      await changeClock(() => UNMOVED)
      await Promise.all([records.store.clear(), records.tables.clear()])
      await journal.clear(name)
    },
    async forget() {
      await Promise.all([records.store.clear(), records.tables.clear(), records.stateTables.clear()])
      await journal.forget(name)
    },
    inOneStep: createOneStep<Tenant>(records, {
      refresh: state.refresh,
      open(staged, afterwards) {
        const ownClock = createClock()
        ownClock.recall(clock.remember())
        return createView(staged, {
          clock: ownClock,
          changeClock: createTenantState(staged.stateTables).add(clockPart(ownClock)),
          announce: (event) => afterwards.push(() => journal.announce(event)),
        })
      },
    }),
  }
  const tenant = createView(records, { clock, changeClock, announce: journal.announce })
  return tenant
}

/** A damaged scenario goes with its table. */
const unlessDamaged = (error: unknown) => {
  if (!(error instanceof DamagedRecord)) throw error
}
