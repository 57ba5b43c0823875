/** Which tenants there are beside the one at the base URL. */
export interface TenantDirectory {
  /**
   * Makes a tenant known, as the one that was used last.
   * @returns the names of those that had to go: the least recently used, when there are too many
   */
  touch(name: string): Promise<readonly string[]>
  has(name: string): Promise<boolean>
  /** The least recently used one first. */
  list(): Promise<readonly string[]>
  /** `false` when it is not known. */
  remove(name: string): Promise<boolean>
}

/** How many tenants there may be beside the one at the base URL. */
export const MOST_TENANTS = 1_000
