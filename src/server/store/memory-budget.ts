import { getHeapStatistics } from 'node:v8'
import { Refusal } from '../../service/oidc/refusal.ts'

/** The ranks that can be dropped, first to last. */
const PASSING = ['unfinished', 'record', 'audited', 'flow'] as const

/**
 * An item that counts against the budget. Within a rank the oldest item is dropped first. Declared
 * items are never dropped.
 */
export interface Kept {
  readonly rank: (typeof PASSING)[number] | 'declared'
  readonly bytes: number
  /** Removes the item from its collection, to make room. */
  drop(): void
}

/** The memory budget of a process, for all tenants. */
export interface MemoryBudget {
  /** Maximum number of bytes. */
  readonly limit: number
  /** Bytes in use. */
  used(): number
  /**
   * Counts an item, which may replace the item `instead`. Drops other items as needed.
   * @throws Refusal 503, before anything changes, when there is not enough room
   */
  keep(thing: Kept, instead?: Kept | undefined): void
  /** Stops counting an item. */
  release(thing: Kept | undefined): void
}

/** The default of the setting `memory_budget`, in MB. */
const MAX_MEMORY_MB = 256
const MB = 1024 * 1024

/** Half of the heap limit of Node, where that is less: for example in a small container. */
const defaultMegabytes = () =>
  Math.min(MAX_MEMORY_MB, Math.floor(getHeapStatistics().heap_size_limit / MB / 2))

/**
 * The bytes of the budget that may be kept. The rest is for garbage: replaced records, and answers
 * created from them (`keepHeapSmall` in `tools/cli/start/start.ts`).
 */
const keptOf = (bytes: number) => bytes / 3

/** The share of the kept bytes that declared items may use, so that flows always have room. */
const DECLARED_SHARE = 0.6

/**
 * Makes room for several items at a time, because finding the first entry of a Set is slow after
 * many deletions.
 */
const SPARE = 0.01

/**
 * Creates the budget of a process.
 * @param megabytes the whole budget, including garbage
 */
export function createMemoryBudget(megabytes: number = defaultMegabytes()): MemoryBudget {
  const limit = keptOf(megabytes * MB)
  const kept = {
    unfinished: new Set<Kept>(),
    record: new Set<Kept>(),
    audited: new Set<Kept>(),
    flow: new Set<Kept>(),
    declared: new Set<Kept>(),
  }
  let used = 0
  let declared = 0

  const count = ({ rank, bytes }: Kept, sign: 1 | -1) => {
    used += sign * bytes
    if (rank === 'declared') declared += sign * bytes
  }
  const release = (thing: Kept | undefined) => {
    if (thing && kept[thing.rank].delete(thing)) count(thing, -1)
  }
  const makeRoom = (most: number) => {
    for (const rank of PASSING) {
      for (const thing of kept[rank]) {
        if (used <= most) return
        release(thing)
        thing.drop()
      }
    }
  }

  return {
    limit,
    used: () => used,
    keep(thing, instead) {
      const fixed = declared - (instead?.rank === 'declared' ? instead.bytes : 0)
      const isDeclared = thing.rank === 'declared'
      if (fixed + thing.bytes > (isDeclared ? limit * DECLARED_SHARE : limit)) {
        throw Refusal.unavailable(isDeclared ? declaredIsFull(megabytes) : isTooLarge(megabytes))
      }
      release(instead)
      if (used + thing.bytes > limit) makeRoom(limit * (1 - SPARE) - thing.bytes)
      kept[thing.rank].add(thing)
      count(thing, 1)
    },
    release,
  }
}

const declaredIsFull = (megabytes: number) =>
  `memory: the budget of ${megabytes} MB has no room for more that is declared (personas, expectations, scenarios, tenants and their settings); ` +
  'reset or DELETE a tenant, or start the sandbox with a larger memory_budget'

const isTooLarge = (megabytes: number) =>
  `memory: this is too large for the budget of ${megabytes} MB; send less, or start the sandbox with a larger memory_budget`

/**
 * Bytes of a record or row besides its id and text. `test/server/store/memory-budget.test.ts`
 * measures this number.
 */
export const ENTRY_BYTES = 640
export const bytesOf = (id: string, text: string) =>
  ENTRY_BYTES + Buffer.byteLength(id) + Buffer.byteLength(text)

/**
 * Bytes of an object member besides its value. Objects of the same shape share the names of their
 * members.
 */
const MEMBER_BYTES = 16
const OBJECT_BYTES = 64

/** Caches the bytes of each object: a row that is put again contains mostly the same objects. */
const counted = new WeakMap<object, number>()

/**
 * Estimates the bytes of a JSON value. The value must not change afterwards, because the result is
 * cached.
 */
export function bytesOfValue(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2
  if (typeof value !== 'object' || value === null) return 8
  const known = counted.get(value)
  if (known !== undefined) return known
  let bytes = OBJECT_BYTES
  for (const member of Object.values(value)) bytes += MEMBER_BYTES + bytesOfValue(member)
  counted.set(value, bytes)
  return bytes
}

/** A first-in, first-out queue. */
export interface Fifo<Item> {
  push(item: Item): void
  /** Removes and returns the oldest existing item. */
  shift(): Item | undefined
}

/**
 * Removed items stay in the array until they are more than this share of the existing items plus
 * this number. Each may hold a long text.
 */
const MAX_GONE_SHARE = 0.25
const MIN_GONE = 20

/**
 * Creates a queue that finds its oldest item in constant time. A Map or Set must skip all deleted
 * entries.
 * @param options.isThere whether an item still exists
 * @param options.count the number of existing items
 */
export function createFifo<Item>({
  isThere,
  count,
}: {
  isThere(item: Item): boolean
  count(): number
}): Fifo<Item> {
  let items: (Item | undefined)[] = []
  let first = 0
  return {
    push(item) {
      if (items.length > (1 + MAX_GONE_SHARE) * count() + MIN_GONE) {
        items = items.slice(first).filter((one) => one !== undefined && isThere(one))
        first = 0
      }
      items.push(item)
    },
    shift() {
      while (first < items.length) {
        const item = items[first]
        // Lets the garbage collector free the item.
        items[first] = undefined
        first += 1
        if (item !== undefined && isThere(item)) return item
      }
      return undefined
    },
  }
}
