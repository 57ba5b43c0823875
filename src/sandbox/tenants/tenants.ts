import { Refusal } from '../../service/oidc/refusal.ts'
import { type Addresses, addressesBelow } from '../addresses/addresses.ts'
import { MAX_TENANTS, type SharedParts } from './shared-parts.ts'
import { createTenant, type Tenant } from './tenant.ts'

/** The tenant at the base URL of the sandbox. It always exists. */
export const ROOT_TENANT = 'default'

/** The pattern of tenant names. */
export const TENANT_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/

/** All tenants of a sandbox. */
export interface Tenants {
  readonly root: Tenant
  /**
   * Returns the tenant with this name, or creates it. A created tenant is kept only when a caller
   * drives it.
   * @throws Refusal for an invalid name
   */
  at(name: string): Tenant
  /**
   * Refreshes the tenant with this name, or the root tenant, and marks it as the most recently used
   * tenant. Beyond the limit, the least recently used touched tenant is removed.
   * @throws Refusal for an invalid name
   */
  touch(name: string | undefined): Promise<Tenant>
  /**
   * Marks a tenant as declared: touched tenants never push it out. Driving a tenant has the same
   * effect.
   * @throws Refusal for an invalid name
   */
  declare(name: string): Promise<Tenant>
  /**
   * Whether a tenant other than the root tenant has this name.
   * @throws Refusal for an invalid name
   */
  has(name: string): Promise<boolean>
  /** Finds a tenant and marks it as used; `undefined` when it does not exist. */
  find(name: string): Promise<Tenant | undefined>
  /** The names of all tenants: the root tenant first, then the others in alphabetical order. */
  names(): Promise<string[]>
  /** Refreshes and returns a tenant of `names()` without marking it as used. */
  read(name: string): Promise<Tenant>
  /**
   * Deletes a tenant. Returns `false` when no tenant has this name.
   * @throws Refusal for the root tenant and for an invalid name
   */
  remove(name: string): Promise<boolean>
  /**
   * Applies new declared settings to all tenants. Settings that a tenant has set itself are kept.
   */
  followSettings(): void
}

/** Creates the tenants of a sandbox. */
export function createTenants(
  shared: SharedParts,
  { addresses }: { addresses: Addresses },
): Tenants {
  const { directory } = shared
  const root = createTenant(shared, { name: ROOT_TENANT, addresses })
  const objects = createTenantObjects()

  const at = (name: string) => {
    checkName(name)
    const known = objects.find(name)
    if (known) return known
    return createTenant(shared, {
      name,
      addresses: addressesBelow(addresses, `/t/${name}`),
      onDriven: declareTenant,
    })
  }
  const forget = async (name: string) => {
    const tenant = at(name)
    objects.remove(name)
    await tenant.forget()
  }
  const forgetGone = async (names: readonly string[]) => {
    for (const name of names) {
      // Another caller may have used the name again in the meantime.
      if (!(await directory.has(name))) await forget(name)
      await directory.forgotten(name)
    }
  }
  const declareTenant = async (tenant: Tenant) => {
    objects.keep(tenant)
    await forgetGone(await directory.declare(tenant.name))
  }
  const touch = async (name: string | undefined) => {
    if (name === undefined) {
      await root.refresh?.()
      return root
    }
    const tenant = objects.keep(at(name))
    const [gone] = await Promise.all([directory.touch(name), tenant.refresh?.()])
    await forgetGone(gone)
    return tenant
  }

  return {
    root,
    at,
    touch,
    async declare(name) {
      const tenant = objects.keep(at(name))
      await declareTenant(tenant)
      return tenant
    },
    async has(name) {
      checkName(name)
      return directory.has(name)
    },
    async find(name) {
      if (name === ROOT_TENANT) return touch(undefined)
      return (await directory.has(name)) ? touch(name) : undefined
    },
    names: async () => [ROOT_TENANT, ...(await directory.list()).toSorted()],
    async read(name) {
      const tenant = name === ROOT_TENANT ? root : objects.keep(at(name))
      await tenant.refresh?.()
      return tenant
    },
    async remove(name) {
      checkName(name)
      if (!(await directory.has(name))) return false
      // Records are deleted first, so that a failed deletion can be repeated.
      await forget(name)
      await directory.remove(name)
      return true
    },
    followSettings() {
      root.followSettings()
      for (const tenant of objects.list()) tenant.followSettings()
    },
  }
}

/** The tenant objects of this process, without the root tenant. */
interface TenantObjects {
  find(name: string): Tenant | undefined
  /**
   * Keeps a tenant object as the most recently used one.
   * @returns the kept object; of several objects with the same name the first is kept
   */
  keep(tenant: Tenant): Tenant
  remove(name: string): void
  list(): Iterable<Tenant>
}

/**
 * More than the limit of the directory: the object of a removed tenant is kept while its records
 * are deleted.
 */
const MAX_CREATED = 2 * MAX_TENANTS + 100

function createTenantObjects(): TenantObjects {
  /** Ordered by use; the least recently used tenant comes first. */
  const tenants = new Map<string, Tenant>()
  return {
    find: (name) => tenants.get(name),
    keep(wanted) {
      const { name } = wanted
      const tenant = tenants.get(name) ?? wanted
      tenants.delete(name)
      tenants.set(name, tenant)
      // In a single process the directory has already removed this tenant and its records.
      const [oldest] = tenants.keys()
      if (tenants.size > MAX_CREATED && oldest !== undefined) tenants.delete(oldest)
      return tenant
    },
    remove(name) {
      tenants.delete(name)
    },
    list: () => tenants.values(),
  }
}

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

/**
 * Finds a tenant and marks it as used.
 * @throws Refusal 404 with similar names
 */
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
