import { randomInt } from 'node:crypto'
import type { ConnectedSandbox } from '../../server/client/connect-sandbox.ts'
import type { SandboxApi } from '../../server/client/sandbox-api.ts'
import { auditTenantName } from '../drive/observation.ts'

/** The tenants that one audit creates. */
export interface AuditTenants {
  /** Creates a tenant with the clients, lifetimes and personas of the tenant at the base URL. */
  open(): Promise<AuditTenant>
  /** Removes all tenants. */
  close(): Promise<void>
}

export interface AuditTenant {
  readonly api: SandboxApi
  remove(): Promise<void>
}

export function createAuditTenants(sandbox: ConnectedSandbox): AuditTenants {
  // A random name is not in use, and two audits of one sandbox do not share tenants.
  const run = randomInt(36 ** 6).toString(36)
  const names: string[] = []
  const remove = async (name: string) => {
    await sandbox.removeTenant(name).catch(() => {})
  }
  return {
    async open() {
      const name = auditTenantName(run, names.length + 1)
      names.push(name)
      const tenant = sandbox.tenant(name)
      // `configure` declares the tenant: the sandbox never evicts a declared tenant.
      await tenant.configure({})
      const [wanted, there] = await Promise.all([sandbox.personas.list(), tenant.personas.list()])
      const known = new Set(there.map((persona) => JSON.stringify(persona)))
      const missing = wanted.filter((persona) => !known.has(JSON.stringify(persona)))
      if (missing.length > 0) await tenant.personas.putAll(missing)
      const baseUrl = `${sandbox.baseUrl.replace(/\/t\/[^/]+$/, '')}/t/${name}`
      return { api: { ...tenant, baseUrl }, remove: () => remove(name) }
    },
    async close() {
      await Promise.all(names.map(remove))
    },
  }
}
