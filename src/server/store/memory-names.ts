import {
  MAX_SEEN_BYTES,
  MAX_SEEN_TENANTS,
  NO_ROOM,
  type SeenNames,
} from '../../sandbox/journal/journal.ts'
import { ROOT_TENANT } from '../../sandbox/tenants/tenants.ts'

/** What the clients of one tenant have seen, by name. */
interface TenantNames {
  readonly texts: Map<string, string>
  bytes: number
}

/** Keeps in memory what clients have seen, for the coverage. */
export function createMemoryNames(): SeenNames {
  const all: TenantNames = { texts: new Map(), bytes: 0 }
  /** All tenants except the root tenant, least recently used first. */
  const others = new Map<string, TenantNames>()

  const use = (tenant: string): TenantNames => {
    const names = others.get(tenant) ?? { texts: new Map(), bytes: 0 }
    others.delete(tenant)
    others.set(tenant, names)
    const [oldest] = others.keys()
    if (others.size >= MAX_SEEN_TENANTS && oldest !== undefined) others.delete(oldest)
    return names
  }
  return {
    add(tenant, seen) {
      if (seen.length === 0) return
      const sets = tenant === ROOT_TENANT ? [all] : [all, use(tenant)]
      for (const [name, text] of seen)
        for (const names of sets) if (!names.texts.has(name)) keep(names, name, text)
    },
    async read(tenant) {
      const names = tenant === ROOT_TENANT ? all : others.get(tenant)
      return new Map(names?.texts)
    },
    async clear(tenant) {
      others.delete(tenant)
      if (tenant !== ROOT_TENANT) return
      others.clear()
      all.texts.clear()
      all.bytes = 0
    },
  }
}

function keep(names: TenantNames, name: string, text: string): void {
  const bytes = names.bytes + name.length + Buffer.byteLength(text)
  if (bytes > MAX_SEEN_BYTES) {
    names.texts.set(NO_ROOM, '')
    return
  }
  names.texts.set(name, text)
  names.bytes = bytes
}
