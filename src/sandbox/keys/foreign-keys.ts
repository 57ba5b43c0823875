import type { SigningAlgorithm } from '../../oidc/ports.ts'
import attackerKeys from './attacker-keys.json' with { type: 'json' }
import { importKeys, type SigningKey, type SigningKeys } from './signing-keys.ts'

let imported: Promise<SigningKeys> | undefined

/** A key for forged tokens: never published, no secret, the same in every run. */
export async function foreignKey(alg: SigningAlgorithm): Promise<SigningKey> {
  imported ??= importKeys(attackerKeys)
  return (await imported)[alg]
}
