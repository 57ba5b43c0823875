import { IDENTIFIER_BYTES } from '../../oidc/decisions.ts'
import { signingAlgOf } from '../../oidc/id-token.ts'
import type { SigningAlgorithm } from '../../oidc/ports.ts'
import type { Provider } from '../../oidc/provider.ts'
import { isUnavailable, Refusal } from '../../oidc/refusal.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import type { SandboxClients } from '../clients/clients.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { generateStoredKeys, importKeys, type SigningKey } from '../keys/signing-keys.ts'

/** The path of traps below a tenant's base URL: a client that fetches one follows an attacker's address. */
export const TRAP_PATH = '/_sandbox/trap'

/** What an attacker can replay: the good answer of a Use flow that is over. */
export interface ReplayableAnswer {
  readonly state: string
  readonly nonce: string
  readonly idToken: string
}

/** What a row of the catalogue may use to change an answer. */
export interface TamperTools {
  readonly provider: Provider
  /** Those that sign for the client of the request. */
  readonly keys: KeyRing
  /** The algorithms by which id_tokens are signed, of whichever client. */
  readonly signingAlgs: readonly SigningAlgorithm[]
  /** The Use request that is being answered; absent in other flows. */
  readonly transaction: UseTransaction | undefined
  /** The answer of an earlier Use flow of the same client; only for a row that needs `earlier_flow`. */
  readonly earlier: ReplayableAnswer
  /** UNIX seconds of the sandbox clock. */
  readonly nowSeconds: number
  /** What a slow reply takes. */
  readonly slowReplySeconds: number
  /** A value such as a client makes one per request: a `state`, a `nonce`, a `sub`. */
  invent(): string
  /** A new address that records each fetch of it. */
  createTrap(): string
  /** The ids of the traps that were made. */
  readonly traps: readonly string[]
  /** The key that will sign after the next rotation, published in advance as the service would. */
  publishNextKey(): Promise<SigningKey>
}

/** Whose answers are changed: a tenant. */
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
  { transaction, earlier }: { transaction?: UseTransaction | undefined; earlier?: ReplayableAnswer | undefined } = {},
): TamperTools {
  const { provider } = host
  const ownKeys = () => (transaction ? host.keys.withAlg(signingAlgOf(transaction.clientId, provider)) : host.keys)
  const invent = () => provider.ids.random(IDENTIFIER_BYTES)
  const traps: string[] = []
  return {
    provider,
    get keys() {
      return ownKeys()
    },
    get signingAlgs() {
      const { signingAlg } = provider.decisions
      return signingAlg ? [signingAlg] : [...new Set([provider.signer.alg, ...host.clients.signingAlgs])]
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
        // A next key is published already: by an earlier row or by a manual rotation.
        if (!(error instanceof Refusal) || isUnavailable(error)) throw error
      }
      const next = await ownKeys().rotate('use', async () => importKeys(await generateStoredKeys()))
      return next.signingKey()
    },
  }
}
