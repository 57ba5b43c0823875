/** The tenants that exist besides the root tenant. */
export interface TenantDirectory {
  /**
   * Adds a tenant, or makes it the one that was used last.
   * @returns the names of those that were removed because there were too many: the least recently used
   */
  touch(name: string): Promise<readonly string[]>
  has(name: string): Promise<boolean>
  /** The least recently used one first. */
  list(): Promise<readonly string[]>
  /** `false` when it is not known. */
  remove(name: string): Promise<boolean>
}

/** The limit of tenants besides the root tenant. */
export const MAX_TENANTS = 1_000
