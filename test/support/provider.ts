import { createKeyRing } from '../../src/sandbox/keys/key-ring.ts'
import { createIds } from '../../src/sandbox/tenants/ids.ts'
import { createMemoryStore } from '../../src/server/store/memory.ts'
import { createMemoryTables } from '../../src/server/store/memory-tables.ts'
import { checkedSignalSchema } from '../../src/service/age/signal.ts'
import {
  DEFAULT_LIFETIMES,
  DEFAULT_PLATFORMS,
  DEFAULT_POLICY,
  DEFAULT_PROVENANCE_ALLOWLIST,
} from '../../src/service/oidc/policy.ts'
import type { AgeKey, AgeKeys, Client } from '../../src/service/oidc/ports.ts'
import type { Provider } from '../../src/service/oidc/provider.ts'
import { BRAND } from '../../src/service/oidc/rules/profile.ts'
import { readTestKeys } from './keys.ts'
import { ageSignal, REDIRECT_URI } from './requests.ts'

export interface TestProvider extends Provider {
  readonly clock: ReturnType<typeof createTestClock>
  readonly ageKeys: ReturnType<typeof createTestAgeKeys>
}

/** The instant at which the clock of each provider stands. */
export const NOW = Date.parse('2026-06-01T12:00:00.900Z')

export const createAgeKey = (id: string, age: Readonly<Record<string, unknown>>): AgeKey => ({
  id,
  signals: [checkedSignalSchema.parse(ageSignal({ age }))],
})

/** An age key whose holder has reached every usual threshold. */
export const ADULT: AgeKey = createAgeKey('key-of-adult', { date_of_birth: '1990-05-17' })
/** An age key whose holder has reached no usual threshold. */
export const CHILD: AgeKey = createAgeKey('key-of-child', { years: 12 })

const SIGNER = createKeyRing({ alg: 'RS256', isRepeatable: true, keys: readTestKeys })

/**
 * A provider without HTTP: records in memory, repeatable ids, two clients, the age keys of `adult`
 * and `child`.
 */
export function createProvider(
  changes: Partial<Omit<Provider, 'clock' | 'ageKeys'>> = {},
): TestProvider {
  const clock = createTestClock()
  const tables = createMemoryTables()
  return {
    baseUrl: 'https://sandbox.example',
    profile: 'spec',
    brand: BRAND[changes.profile ?? 'spec'],
    policy: DEFAULT_POLICY,
    lifetimes: DEFAULT_LIFETIMES,
    vocabulary: { provenanceAllowlist: DEFAULT_PROVENANCE_ALLOWLIST, platforms: DEFAULT_PLATFORMS },
    certifications: {},
    store: createMemoryStore({ clock, tables }),
    ids: createIds({ seed: 1, scope: 'test' }),
    signer: SIGNER,
    clients: {
      ids: CLIENTS.map(({ clientId }) => clientId),
      find: (clientId) => CLIENTS.find((client) => client.clientId === clientId),
    },
    ...changes,
    clock,
    ageKeys: createTestAgeKeys(tables),
  }
}

export const OTHER_CLIENT = { clientId: 'other', clientSecret: 'sk_other' }

const redirectUris = [REDIRECT_URI, `${REDIRECT_URI}?a=b`]
const allowsRedirectTo = (redirectUri: string) => redirectUris.includes(redirectUri)
const BUILT_IN = { clientId: 'ak_test_sandbox', clientSecret: 'sk_test_sandbox' }
const CLIENTS: readonly Client[] = [BUILT_IN, OTHER_CLIENT].map((it) => ({
  ...it,
  name: it.clientId,
  redirectUris,
  allowsRedirectTo,
}))

function createTestClock() {
  let now = NOW
  const advance = (seconds: number) => {
    now += seconds * 1000
  }
  return { now: () => now, advance }
}

function createTestAgeKeys(tables: ReturnType<typeof createMemoryTables>) {
  const TABLE = 'age_key'
  const row = (holder: string, value: AgeKey) =>
    ({ kind: 'row', table: TABLE, id: holder, value }) as const
  for (const [holder, key] of Object.entries({ adult: ADULT, child: CHILD }))
    tables.put(TABLE, holder, key)
  const of = async (holder = 'new user') => (await tables.get(TABLE, holder)) as AgeKey | undefined
  let saved = 0
  return {
    of,
    saving(signals, holder = 'new user') {
      saved += 1
      return { holder, changes: [row(holder, { id: `saved-${saved}`, signals })] }
    },
    async adding(id, signals) {
      for (const [holder] of await tables.list(TABLE)) {
        const key = await of(holder)
        if (key?.id === id) return [row(holder, { id, signals: [...key.signals, ...signals] })]
      }
      return undefined
    },
  } satisfies AgeKeys & { of(holder?: string): Promise<AgeKey | undefined> }
}
