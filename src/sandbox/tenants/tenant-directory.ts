/** The tenants that exist beside the one at the base URL. */
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

/** Tenants beside the one at the base URL. */
export const MAX_TENANTS = 1_000
