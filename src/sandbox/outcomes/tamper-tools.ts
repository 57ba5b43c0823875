import { IDENTIFIER_BYTES } from '../../oidc/decisions.ts'
import type { SigningAlgorithm } from '../../oidc/ports.ts'
import type { Provider } from '../../oidc/provider.ts'
import { isUnavailable, Refusal } from '../../oidc/refusal.ts'
import type { UseTransaction } from '../../oidc/use.ts'
import type { SandboxClients } from '../clients/clients.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import { generateStoredKeys, importKeys, type SigningKey } from '../keys/signing-keys.ts'
import type { TenantSettings } from '../tenants/shared-parts.ts'
import type { ReplayableAnswer } from './replayable-answers.ts'

/** The path of traps below a tenant's base URL: a client that fetches one follows an attacker's address. */
export const TRAP_PATH = '/_sandbox/trap'

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

/** What the tools are made of; `rotateKeys` and `earlier` matter only to an authorization request. */
export interface TamperContext {
  readonly provider: Provider
  readonly keys: KeyRing
  readonly clients: SandboxClients
  readonly settings: Pick<TenantSettings, 'slowReplySeconds'>
  readonly transaction: UseTransaction | undefined
  readonly earlier?: ReplayableAnswer | undefined
  rotateKeys?(stage: 'lend'): Promise<void>
}

export function createTamperTools(context: TamperContext): TamperTools {
  const { provider, transaction } = context
  const invent = () => provider.ids.random(IDENTIFIER_BYTES)
  const traps: string[] = []
  return {
    provider,
    get keys() {
      return context.keys
    },
    get signingAlgs() {
      const { signingAlg } = provider.decisions
      return signingAlg ? [signingAlg] : [...new Set([provider.signer.alg, ...context.clients.signingAlgs])]
    },
    transaction,
    get earlier() {
      if (!context.earlier) throw new Error('a row that replays an answer must need earlier_flow')
      return context.earlier
    },
    slowReplySeconds: context.settings.slowReplySeconds,
    nowSeconds: Math.floor(provider.clock.now() / 1000),
    invent,
    createTrap() {
      const id = invent()
      traps.push(id)
      return `${provider.baseUrl}${TRAP_PATH}/${id}`
    },
    traps,
    publishNextKey: async () => (await publishNext(context)).signingKey(),
  }
}

const newKeys = async () => importKeys(await generateStoredKeys())

/** The ring after the next rotation. */
async function publishNext(context: TamperContext): Promise<KeyRing> {
  try {
    await context.rotateKeys?.('lend')
  } catch (error) {
    // A next key is published already: by an earlier row or by a manual rotation.
    if (!(error instanceof Refusal) || isUnavailable(error)) throw error
  }
  return context.keys.rotate('use', newKeys)
}
