import { MOST_TENANTS, type TenantDirectory } from '../sandbox/tenants/tenant-directory.ts'

/** The tenants of one process. */
export function createMemoryDirectory({ most = MOST_TENANTS } = {}): TenantDirectory {
  /** Least recently used first. */
  const names = new Set<string>()
  return {
    async touch(name) {
      names.delete(name)
      names.add(name)
      if (names.size <= most) return []
      const gone = [...names].slice(0, names.size - most)
      for (const one of gone) names.delete(one)
      return gone
    },
    has: async (name) => names.has(name),
    list: async () => [...names],
    remove: async (name) => names.delete(name),
  }
}
