import type { Clock } from '../oidc/ports.ts'
import type { TenantStore } from '../sandbox/tenants/world.ts'

/** Values live as text, as in any other store: nobody holds a record that somebody else could change. */
interface Entry {
  readonly text: string
  readonly expiresAt: number
}

/**
 * A store in the memory of the process: bounded, without timers. What has expired is dropped when it is met; when a
 * collection holds `limit` records, the oldest goes.
 * @param options.limit records per collection (default 10,000).
 */
export function createMemoryStore({ clock, limit = 10_000 }: { clock: Clock; limit?: number }): TenantStore {
  const collections = new Map<string, Map<string, Entry>>()
  const find = (collection: string, id: string): Entry | undefined => {
    const entries = collections.get(collection)
    const entry = entries?.get(id)
    if (!entry || entry.expiresAt > clock.now()) return entry
    entries?.delete(id)
    return undefined
  }

  return {
    async put(collection, id, value, expiresAt) {
      const entries = collections.get(collection) ?? new Map<string, Entry>()
      collections.set(collection, entries)
      // Deleted first, so that a record written again counts as the newest.
      entries.delete(id)
      const oldest = entries.size >= limit ? entries.keys().next() : undefined
      if (oldest && !oldest.done) entries.delete(oldest.value)
      entries.set(id, { text: JSON.stringify(value), expiresAt })
    },
    async get(collection, id) {
      return readValue(find(collection, id))
    },
    async take(collection, id) {
      const entry = find(collection, id)
      collections.get(collection)?.delete(id)
      return readValue(entry)
    },
    clear: async () => collections.clear(),
  }
}

const readValue = (entry: Entry | undefined): unknown => entry && JSON.parse(entry.text)
