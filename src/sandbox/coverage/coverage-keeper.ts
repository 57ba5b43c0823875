import { type Counting, countDelivery, createClaimsTables, type Delivered } from './count-delivery.ts'
import {
  type CoverageCounters,
  emptyCounters,
  type HitsTable,
  MAX_TEST_NAME,
  MAX_TESTS,
  mergeCoverage,
} from './counters.ts'

/** What this process delivered, for each tenant. It survives a reset. */
export type CoverageKeeper = ReturnType<typeof createCoverageKeeper>

/** What was delivered to the clients of one tenant. */
export type TenantCoverage = ReturnType<CoverageKeeper['of']>

/** Deliveries that are not counted yet. */
const MAX_UNCOUNTED = 32

/** Tenants with counters of their own; beyond this limit the least recently counted tenant is added to the root tenant. */
const MAX_COUNTED_TENANTS = 200

/** @param options.root the name of the root tenant @param options.onChange called after each count */
export function createCoverageKeeper({
  version,
  root,
  onChange,
}: {
  version: string
  root: string
  onChange?: (() => void) | undefined
}) {
  /** The most recently counted tenant is the last one. */
  const kept = new Map<string, Counting>()
  const names = new Map<string, string>()
  const uncounted: { readonly tenant: string; readonly delivered: Delivered }[] = []
  const keep = (tenant: string, counters: CoverageCounters): Counting => {
    const hit = (table: HitsTable, name: string) => addHit(table, name, names.get(tenant) ?? names.get(root))
    const made = { counters, tableOf: createClaimsTables(counters), hit }
    kept.set(tenant, made)
    return made
  }
  const forget = (tenant: string) => {
    const gone = kept.get(tenant)
    names.delete(tenant)
    if (!gone || tenant === root) return
    kept.delete(tenant)
    keep(root, mergeCoverage([keptOf(root).counters, gone.counters], version))
  }
  const keptOf = (tenant: string): Counting => kept.get(tenant) ?? keep(tenant, emptyCounters(version))
  const makeRoom = () => {
    if (kept.size <= MAX_COUNTED_TENANTS) return
    const oldest = [...kept.keys()].find((tenant) => tenant !== root)
    if (oldest !== undefined) forget(oldest)
  }
  const countingOf = (tenant: string) => {
    const found = keptOf(tenant)
    if (tenant !== root) {
      kept.delete(tenant)
      kept.set(tenant, found)
      makeRoom()
    }
    return found
  }
  const countAll = () => {
    for (const { tenant, delivered } of uncounted.splice(0)) countDelivery(delivered, countingOf(tenant))
  }
  const all = () =>
    mergeCoverage(
      [...kept.values()].map(({ counters }) => counters),
      version,
    )

  return {
    /** Adds the counters of a removed tenant to those of the root tenant. */
    forget(tenant: string) {
      countAll()
      forget(tenant)
    },
    of: (tenant: string) => ({
      /** Notes a delivery. Deliveries are counted later, in batches or when somebody reads the counters, so that no call waits for it. */
      delivered(delivered: Delivered) {
        uncounted.push({ tenant, delivered })
        if (uncounted.length >= MAX_UNCOUNTED) countAll()
        onChange?.()
      },
      /** The counters; for the root tenant those of all tenants. */
      counters() {
        countAll()
        return tenant === root ? all() : mergeCoverage([kept.get(tenant)?.counters ?? emptyCounters(version)], version)
      },
      /** Sets these counters to 0. */
      clear() {
        countAll()
        if (tenant === root) kept.clear()
        else kept.delete(tenant)
        onChange?.()
      },
      /**
       * Lists coming deliveries under this test; without a name under none. A name of the root tenant also applies to tenants without
       * their own.
       */
      name(test: string | undefined) {
        countAll()
        if (test === undefined) names.delete(tenant)
        else names.set(tenant, test.slice(0, MAX_TEST_NAME))
      },
    }),
  }
}

function addHit(table: HitsTable, name: string, test: string | undefined): void {
  table[name] ??= { count: 0 }
  const hits = table[name]
  hits.count++
  if (test === undefined) return
  hits.tests ??= []
  if (hits.tests.length < MAX_TESTS && !hits.tests.includes(test)) hits.tests.push(test)
}
