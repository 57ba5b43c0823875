import { signingAlgOf } from '../../service/oidc/id-token.ts'
import { IDENTIFIER_BYTES } from '../../service/oidc/policy.ts'
import type { SigningAlgorithm } from '../../service/oidc/ports.ts'
import type { Provider } from '../../service/oidc/provider.ts'
import { isUnavailable, Refusal } from '../../service/oidc/refusal.ts'
import type { UseTransaction } from '../../service/oidc/use.ts'
import type { SandboxClients } from '../clients/clients.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { generateStoredKeys, importKeys, type SigningKey } from '../keys/signing-keys.ts'

/**
 * The path of traps below the base URL of a tenant: a client that fetches a trap follows the
 * address of an attacker.
 */
export const TRAP_PATH = '/_sandbox/trap'

/** What an attacker can replay: the good answer of a finished Use flow. */
export interface ReplayableAnswer {
  readonly state: string
  readonly nonce: string
  readonly idToken: string
}

/** Tools with which a row of the catalogue changes an answer. */
export interface TamperTools {
  readonly provider: Provider
  /** The keys that sign for the client of the request. */
  readonly keys: KeyRing
  /** The algorithms that sign id_tokens for any of the clients. */
  readonly signingAlgs: readonly SigningAlgorithm[]
  /** The Use request that is being answered; absent in other flows. */
  readonly transaction: UseTransaction | undefined
  /**
   * The answer of an earlier Use flow of the same client; only for a row that needs `earlier_flow`.
   */
  readonly earlier: ReplayableAnswer
  /** UNIX seconds of the sandbox clock. */
  readonly nowSeconds: number
  /** How long a slow reply takes. */
  readonly slowReplySeconds: number
  /**
   * A random value like those that clients make for each request: a `state`, a `nonce`, a `sub`.
   */
  invent(): string
  /** A new URL, at which each fetch is recorded. */
  createTrap(): string
  /** The ids of the traps so far. */
  readonly traps: readonly string[]
  /** The key that will sign after the next rotation, published in advance as the service does. */
  publishNextKey(): Promise<SigningKey>
}

/** The tenant whose answers are changed. */
export interface TamperHost {
  readonly provider: Provider
  readonly keys: KeyRing
  readonly clients: SandboxClients
  readonly settings: { readonly slowReplySeconds: number }
  rotateKeys(stage: 'lend'): Promise<void>
}

/** @param answered.transaction of a Use request */
export function createTamperTools(
  host: TamperHost,
  {
    transaction,
    earlier,
  }: { transaction?: UseTransaction | undefined; earlier?: ReplayableAnswer | undefined } = {},
): TamperTools {
  const { provider } = host
  const ownKeys = () =>
    transaction ? host.keys.withAlg(signingAlgOf(transaction.clientId, provider)) : host.keys
  const invent = () => provider.ids.random(IDENTIFIER_BYTES)
  const traps: string[] = []
  return {
    provider,
    get keys() {
      return ownKeys()
    },
    get signingAlgs() {
      const { signingAlg } = provider.policy
      return signingAlg
        ? [signingAlg]
        : [...new Set([provider.signer.alg, ...host.clients.signingAlgs])]
    },
    transaction,
    get earlier() {
      if (!earlier) throw new Error('a row that replays an answer must need earlier_flow')
      return earlier
    },
    slowReplySeconds: host.settings.slowReplySeconds,
    nowSeconds: Math.floor(provider.clock.now() / 1000),
    invent,
    createTrap() {
      const id = invent()
      traps.push(id)
      return `${provider.baseUrl}${TRAP_PATH}/${id}`
    },
    traps,
    async publishNextKey() {
      try {
        await host.rotateKeys('lend')
      } catch (error) {
        // The next key is published already, by an earlier row or by a manual rotation.
        if (!(error instanceof Refusal) || isUnavailable(error)) throw error
      }
      const next = await ownKeys().rotate('use', async () => importKeys(await generateStoredKeys()))
      return next.signingKey()
    },
  }
}
