/**
 * The tenants that exist besides the root tenant. One that is only called is *touched*; one that a caller made or drives is
 * *declared*, and touched ones never push it out: each kind has a limit of its own.
 */
export interface TenantDirectory {
  /**
   * Makes a tenant the one of its kind that was used last; one that is not known is touched from now on.
   * @returns the names of tenants whose records are to be deleted: those that were removed because there were too many of the
   * kind, the least recently used, and perhaps one of those that were removed earlier and are not `forgotten`
   */
  touch(name: string): Promise<readonly string[]>
  /** Makes a tenant a declared one, as the one that was used last. Returns what `touch` returns. */
  declare(name: string): Promise<readonly string[]>
  has(name: string): Promise<boolean>
  /** The touched ones first; of each kind the least recently used one first. */
  list(): Promise<readonly string[]>
  /** `false` when it is not known. */
  remove(name: string): Promise<boolean>
  /** Called when the records of a tenant that was removed for others are deleted. */
  forgotten(name: string): Promise<void>
}

/** The limit of touched tenants, and that of declared ones, besides the root tenant. */
export const MAX_TENANTS = 1_000
