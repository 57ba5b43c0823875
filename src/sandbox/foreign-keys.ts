import { deriveStoredKeys } from './derived-keys.ts'
import { importKeys, type SigningAlgorithm, type SigningKey, type SigningKeys } from './signing-keys.ts'

let made: Promise<SigningKeys> | undefined

/** The key of an attacker: never published, and the same in every run. Made once per process, when a row first asks for it. */
export async function foreignKey(alg: SigningAlgorithm): Promise<SigningKey> {
  made ??= deriveStoredKeys('attacker').then(importKeys)
  return (await made)[alg]
}
