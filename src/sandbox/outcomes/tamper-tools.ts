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
 * The path of traps below the base URL of a tenant. A client that fetches a trap would also follow
 * the URL of an attacker.
 */
export const TRAP_PATH = '/_sandbox/trap'

/** The answer of a verified Use flow, which an attacker can replay. */
export interface ReplayableAnswer {
  readonly state: string
  readonly nonce: string
  readonly idToken: string
}

/** Tools for the rows of the catalogue. */
export interface TamperTools {
  readonly provider: Provider
  /** The keys that sign for the client of the request. */
  readonly keys: KeyRing
  /** The algorithms that sign id_tokens for at least one client. */
  readonly signingAlgs: readonly SigningAlgorithm[]
  /** The Use request that is answered; absent in other flows. */
  readonly transaction: UseTransaction | undefined
  /**
   * The answer of an earlier Use flow of the same client. Only rows that need `earlier_flow` may
   * read it.
   */
  readonly earlier: ReplayableAnswer
  /** Seconds since the UNIX epoch, by the sandbox clock. */
  readonly nowSeconds: number
  /** The delay of a slow reply. */
  readonly slowReplySeconds: number
  /** Makes a random value like a `state`, a `nonce` or a `sub`. */
  invent(): string
  /** Makes a new URL of a trap. Each fetch of it is recorded. */
  createTrap(): string
  /** The ids of the traps that were made so far. */
  readonly traps: readonly string[]
  /** Publishes the key that signs after the next rotation, as a service does in advance. */
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

/** @param answered.transaction the Use request */
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
        // The next key is already published, by an earlier row or by a manual rotation.
        if (!(error instanceof Refusal) || isUnavailable(error)) throw error
      }
      const next = await ownKeys().rotate('use', async () => importKeys(await generateStoredKeys()))
      return next.signingKey()
    },
  }
}
