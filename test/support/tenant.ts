import type { Addresses } from '../../src/sandbox/addresses/addresses.ts'
import { createKeyRing } from '../../src/sandbox/keys/key-ring.ts'
import { loadPersonas } from '../../src/sandbox/personas/load-personas.ts'
import type { SandboxSettings, SharedParts } from '../../src/sandbox/tenants/shared-parts.ts'
import { createTenant, type Tenant } from '../../src/sandbox/tenants/tenant.ts'
import { createMemoryStores, type Stores } from '../../src/server/store/stores.ts'
import {
  DEFAULT_LIFETIMES,
  DEFAULT_PLATFORMS,
  DEFAULT_PROVENANCE_ALLOWLIST,
} from '../../src/service/oidc/policy.ts'
import { readTestKeys } from './keys.ts'

/** Read once: tenants share the declared personas, and leave them as they are. */
const PERSONAS = loadPersonas()

/**
 * What tenants on these stores share: the built-in personas and client, and the keys of the tests.
 */
export async function createTestParts(
  stores: Stores,
  changes: Partial<SandboxSettings> = {},
): Promise<SharedParts> {
  const settings: SandboxSettings = {
    profile: 'spec',
    lifetimes: DEFAULT_LIFETIMES,
    vocabulary: { provenanceAllowlist: DEFAULT_PROVENANCE_ALLOWLIST, platforms: DEFAULT_PLATFORMS },
    certifications: {},
    clients: [],
    builtinClient: true,
    redirectUris: [],
    personas: await PERSONAS,
    defaults: {},
    slowReplySeconds: 30,
    readings: {},
    seed: 1,
    ...changes,
  }
  return {
    ...stores,
    declared: { settings },
    secrets: [],
    keys: createKeyRing({ alg: 'RS256', isRepeatable: true, keys: readTestKeys }),
    generateKeys: readTestKeys,
  }
}

export const TEST_ADDRESSES: Addresses = {
  baseUrl: 'https://sandbox.example',
  internalUrl: undefined,
  trustHost: false,
  followed: 'none',
}

/** A tenant without HTTP: everything in memory, and a clock that stands still. */
export async function createTestTenant(changes: Partial<SandboxSettings> = {}): Promise<Tenant> {
  const parts = await createTestParts(createMemoryStores(), changes)
  const tenant = createTenant(parts, { name: 'default', addresses: TEST_ADDRESSES })
  await tenant.moveClock({ freeze: true })
  return tenant
}
