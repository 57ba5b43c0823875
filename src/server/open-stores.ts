import { ConfigError } from '../files/config-error.ts'
import { onDemand } from '../files/on-demand.ts'
import { packageVersion } from '../package-root.ts'
import { createMemoryStores, type Stores } from '../store/stores.ts'

/** The options that choose the stores of a sandbox. */
export interface StoreOptions {
  readonly store?: string | undefined
  readonly memoryBudget?: number | undefined
  readonly seed?: number | undefined
  readonly baseUrl?: string | undefined
  onWarning?(message: string): void
}

/**
 * Opens the store that the options name; memory without one.
 * @throws Error with one line: the store cannot be reached, it holds records of another version, or a seed is given beside it
 */
export async function openStores({ store, memoryBudget, seed, baseUrl, onWarning }: StoreOptions): Promise<Stores> {
  if (store === undefined) return createMemoryStores(memoryBudget)
  if (seed !== undefined) {
    throw ConfigError.of('seed: replicas with one seed would make the same codes; leave out the seed, or the store')
  }
  const { openRedisStores } = await loadRedisStores()
  const stores = await openRedisStores(store, {
    version: packageVersion(),
    onLost: (reason) =>
      onWarning?.(`store: the connection is lost (${reason}); calls are answered with 503 until it is back`),
    onBack: () => onWarning?.('store: the connection is back'),
  })
  // After the connection: a start that fails prints one line only.
  if (baseUrl === undefined) {
    onWarning?.('store: replicas need one address for all of them; say which by the option baseUrl')
  }
  return stores
}

/** Most sandboxes need no client of Redis. */
const loadRedisStores = onDemand(() => import('../store/redis-stores.ts'))
