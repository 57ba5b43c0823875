/**
 * The tenants besides the root tenant. A tenant that was only called is *touched*; a tenant that a caller created or drives is
 * *declared*. Touched tenants never push out declared ones: each kind has its own limit.
 */
export interface TenantDirectory {
  /**
   * Counts a tenant as the most recently used one of its kind; an unknown tenant becomes a touched one.
   * @returns the tenants whose records must be deleted: the least recently used ones beyond the limit, and perhaps earlier ones that were
   * not reported as `forgotten` yet
   */
  touch(name: string): Promise<readonly string[]>
  /** Makes a tenant a declared one, the most recently used. Returns what `touch` returns. */
  declare(name: string): Promise<readonly string[]>
  has(name: string): Promise<boolean>
  /** Touched tenants first; within each kind the least recently used first. */
  list(): Promise<readonly string[]>
  /** `false` for an unknown tenant. */
  remove(name: string): Promise<boolean>
  /** Reports that the records of a removed tenant are deleted. */
  forgotten(name: string): Promise<void>
}

/** The limits of touched and of declared tenants, besides the root tenant. */
export const MAX_TENANTS = 1_000
