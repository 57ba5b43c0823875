import { DEFAULT_LIFETIMES, DEFAULT_PLATFORMS, DEFAULT_PROVENANCE_ALLOWLIST } from '../../src/oidc/decisions.ts'
import { createKeyRing } from '../../src/sandbox/keys/key-ring.ts'
import { loadPersonas } from '../../src/sandbox/personas/load-personas.ts'
import type { SandboxSettings } from '../../src/sandbox/tenants/shared-parts.ts'
import { createTenant, type Tenant } from '../../src/sandbox/tenants/tenant.ts'
import { createMemoryStores } from '../../src/store/stores.ts'
import { readTestKeys } from './keys.ts'

/** A tenant without HTTP: the built-in personas and client, everything in memory, and a clock that stands still. */
export async function createTestTenant(changes: Partial<SandboxSettings> = {}): Promise<Tenant> {
  const settings: SandboxSettings = {
    profile: 'spec',
    lifetimes: DEFAULT_LIFETIMES,
    vocabulary: { provenanceAllowlist: DEFAULT_PROVENANCE_ALLOWLIST, platforms: DEFAULT_PLATFORMS },
    certifications: {},
    clients: [],
    builtinClient: true,
    personas: await loadPersonas(),
    defaults: {},
    seed: 1,
    ...changes,
  }
  const world = {
    ...createMemoryStores(),
    settings,
    keys: createKeyRing({ alg: 'RS256', isRepeatable: true, keys: readTestKeys }),
    generateKeys: readTestKeys,
  }
  const tenant = createTenant(world, {
    name: 'default',
    addresses: { baseUrl: 'https://sandbox.example', internalUrl: undefined, trustHost: false },
  })
  await tenant.moveClock({ freeze: true })
  return tenant
}
