import { Refusal } from '../../service/oidc/refusal.ts'
import { type Addresses, addressesBelow } from '../addresses/addresses.ts'
import { MAX_TENANTS, type SharedParts } from './shared-parts.ts'
import { createTenant, type Tenant } from './tenant.ts'

/** The tenant at the base URL. It always exists. */
export const ROOT_TENANT = 'default'

/** The names that a tenant may have. */
export const TENANT_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/

/** All tenants of a sandbox. */
export type Tenants = ReturnType<typeof createTenants>

/** Creates the tenants of a sandbox. */
export function createTenants(shared: SharedParts, { addresses }: { addresses: Addresses }) {
  const { directory } = shared
  const root = createTenant(shared, { name: ROOT_TENANT, addresses })
  /** The tenant objects of this process, the least recently used first. */
  const created = new Map<string, Tenant>()

  /**
   * Finds or creates the tenant of this name. A created tenant is kept only once a caller drives
   * it.
   * @throws Refusal
   */
  const at = (name: string) => {
    checkName(name)
    const known = created.get(name)
    if (known) return known
    return createTenant(shared, {
      name,
      addresses: addressesBelow(addresses, `/t/${name}`),
      onDriven: declareTenant,
    })
  }
  /**
   * When several objects were created under one name at once, all callers use the first that is
   * kept.
   */
  const keep = (wanted: Tenant) => {
    const { name } = wanted
    const tenant = created.get(name) ?? wanted
    created.delete(name)
    created.set(name, tenant)
    // In a single process the directory has removed the tenant and its records already.
    const [oldest] = created.keys()
    if (created.size > MAX_CREATED && oldest !== undefined) created.delete(oldest)
    return tenant
  }
  const forget = async (name: string) => {
    const tenant = at(name)
    created.delete(name)
    await tenant.forget()
    shared.coverage.forget(name)
  }
  /** The names that nobody has used again meanwhile. */
  const forgetGone = async (names: readonly string[]) => {
    for (const name of names) {
      if (!(await directory.has(name))) await forget(name)
      await directory.forgotten(name)
    }
  }
  const declareTenant = async (tenant: Tenant) => {
    keep(tenant)
    await forgetGone(await directory.declare(tenant.name))
  }

  /**
   * Refreshes the tenant of this name, or the root tenant, and counts it as the most recently used
   * one. Beyond the limit, the least recently used touched tenant goes.
   * @throws Refusal
   */
  const touch = async (name: string | undefined) => {
    if (name === undefined) {
      await root.refresh?.()
      return root
    }
    const tenant = keep(at(name))
    const [gone] = await Promise.all([directory.touch(name), tenant.refresh?.()])
    await forgetGone(gone)
    return tenant
  }

  return {
    root,
    at,
    touch,
    /**
     * All tenants follow the declared settings, which have been replaced. What a tenant has set
     * itself stays.
     */
    followSettings() {
      for (const tenant of [root, ...created.values()]) tenant.followSettings()
    },
    /**
     * Makes the tenant a declared one, which touched tenants never push out. Driving a tenant does
     * the same.
     * @throws Refusal
     */
    async declare(name: string) {
      const tenant = keep(at(name))
      await declareTenant(tenant)
      return tenant
    },
    /** Whether a tenant beside the root one has this name. @throws Refusal */
    async has(name: string) {
      checkName(name)
      return directory.has(name)
    },
    /** The tenant of this name, counted as used; `undefined` when it does not exist. */
    async find(name: string) {
      if (name === ROOT_TENANT) return touch(undefined)
      return (await directory.has(name)) ? touch(name) : undefined
    },
    /** The root tenant first, the others in alphabetical order. */
    names: async () => [ROOT_TENANT, ...(await directory.list()).toSorted()],
    /** Finds the tenant of one of the `names` and refreshes it, without counting it as used. */
    async read(name: string) {
      const tenant = name === ROOT_TENANT ? root : keep(at(name))
      await tenant.refresh?.()
      return tenant
    },
    /**
     * Deletes a tenant; `false` when no tenant has this name.
     * @throws Refusal for the root tenant
     */
    async remove(name: string) {
      checkName(name)
      if (!(await directory.has(name))) return false
      // Deletes the records first: a tenant that is only half removed can be called again.
      await forget(name)
      await directory.remove(name)
      return true
    },
  }
}

/**
 * More than the directory holds: the object of a removed tenant stays while its records are
 * deleted.
 */
const MAX_CREATED = 2 * MAX_TENANTS + 100

function checkName(name: string): void {
  if (name === ROOT_TENANT) {
    throw Refusal.invalidRequest(
      `tenant "${ROOT_TENANT}" is the one at the base URL itself; use its address, without /t/`,
    )
  }
  if (TENANT_NAME.test(name)) return
  const shown = JSON.stringify(name.slice(0, 80))
  throw Refusal.invalidRequest(
    `tenant ${shown} is not a name: 1 to 63 lowercase letters, digits and hyphens, no hyphen first`,
  )
}

/** Finds a tenant by name, and counts it as used. @throws Refusal 404 with the nearest names */
export async function requireTenant(name: string, tenants: Tenants): Promise<Tenant> {
  const tenant = await tenants.find(name)
  if (tenant) return tenant
  const known = await tenants.names()
  throw Refusal.unknownName({
    source: 'tenant',
    kind: 'tenant',
    name,
    known,
    listedBy: 'GET /_sandbox/tenants',
    status: 404,
  })
}
