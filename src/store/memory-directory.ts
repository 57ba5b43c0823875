import { MAX_TENANTS, type TenantDirectory } from '../sandbox/tenants/tenant-directory.ts'

/** The tenants of one process. */
export function createMemoryDirectory({ max = MAX_TENANTS } = {}): TenantDirectory {
  /** Least recently used first. */
  const names = new Set<string>()
  return {
    async touch(name) {
      names.delete(name)
      names.add(name)
      if (names.size <= max) return []
      const gone = [...names].slice(0, names.size - max)
      for (const one of gone) names.delete(one)
      return gone
    },
    has: async (name) => names.has(name),
    list: async () => [...names],
    remove: async (name) => names.delete(name),
  }
}
