import { getHeapStatistics } from 'node:v8'
import { Refusal } from '../oidc/refusal.ts'

/** Ranks of what may go, the first to go first. */
const PASSING = ['unfinished', 'record', 'audited', 'flow'] as const

/** Something that is kept in memory. Within a rank the oldest goes first; what is declared never goes. */
export interface Kept {
  readonly rank: (typeof PASSING)[number] | 'declared'
  readonly bytes: number
  /** Removes it from where it is kept; called when it has to go. */
  drop(): void
}

/** The bytes that one process keeps, of all tenants. */
export type MemoryBudget = ReturnType<typeof createMemoryBudget>

/** The default of the setting `memory_budget`. */
const MAX_MEMORY_MB = 256
const MB = 1024 * 1024

/** Node may use little memory, for example in a small container: then half of that. */
const defaultMegabytes = () => Math.min(MAX_MEMORY_MB, Math.floor(getHeapStatistics().heap_size_limit / MB / 2))

/**
 * Of the budget, for what is kept; the rest is for the garbage that comes with it: records that are replaced, and the
 * answers that are made of them (`keepHeapSmall` in `cli/start/start.ts`).
 */
const keptOf = (bytes: number) => bytes / 3

/** Of what is kept: however much is declared, flows have room beside it. */
const DECLARED_SHARE = 0.6

/** Room is made for more than one thing at a time: a Set finds its first entry behind all that were deleted. */
const SPARE = 0.01

/** Creates the budget of a process. @param megabytes at most so many are kept */
export function createMemoryBudget(megabytes: number = defaultMegabytes()) {
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
  /** Counts `thing` no longer. */
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
    /** What is kept now. */
    used: () => used,
    /**
     * Counts `thing`, and `instead` of which it is kept no longer. Drops as much as it needs room.
     * @throws Refusal 503, before anything changes, when there is no room however much goes
     */
    keep(thing: Kept, instead?: Kept | undefined) {
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

/** What a record or row costs beside its texts; `test/store/memory-budget.test.ts` measures it. */
export const ENTRY_BYTES = 640
export const bytesOf = (id: string, text: string) => ENTRY_BYTES + Buffer.byteLength(id) + Buffer.byteLength(text)

/** What a member of an object costs beside its value; the name itself is shared by all objects of one shape. */
const MEMBER_BYTES = 16
const OBJECT_BYTES = 64

/** The bytes of objects that were counted: a row that is put again holds most of what it held. */
const counted = new WeakMap<object, number>()

/** The bytes that a value of JSON takes, about: a text as JSON has it. Nobody changes the value afterwards. */
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

/** Items in the order in which they came, of which the oldest goes first. */
export type Fifo<Item> = ReturnType<typeof createFifo<Item>>

/** Items that are gone are removed when they are more than a quarter of the others, and so many: each may hold a long text. */
const MAX_GONE_SHARE = 0.25
const MIN_GONE = 20

/**
 * Creates a queue from which the oldest item is taken in the same time however many have gone: a Map or Set finds its first entry
 * behind all that were deleted.
 * @param options.isThere whether an item still counts @param options.count how many do
 */
export function createFifo<Item>({ isThere, count }: { isThere(item: Item): boolean; count(): number }) {
  let items: (Item | undefined)[] = []
  let first = 0
  return {
    push(item: Item) {
      if (items.length > (1 + MAX_GONE_SHARE) * count() + MIN_GONE) {
        items = items.slice(first).filter((one) => one !== undefined && isThere(one))
        first = 0
      }
      items.push(item)
    },
    /** Removes and returns the oldest item that is still there. */
    shift(): Item | undefined {
      while (first < items.length) {
        const item = items[first]
        // What has gone is not kept from being collected.
        items[first] = undefined
        first += 1
        if (item !== undefined && isThere(item)) return item
      }
      return undefined
    },
  }
}
