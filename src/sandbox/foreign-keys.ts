import {
  generateStoredKeys,
  importKeys,
  type SigningAlgorithm,
  type SigningKey,
  type SigningKeys,
} from './signing-keys.ts'

let made: Promise<SigningKeys> | undefined

/** The key of an attacker: never published. Made once per process, when a row first asks for it. */
export async function foreignKey(alg: SigningAlgorithm): Promise<SigningKey> {
  made ??= generateStoredKeys().then(importKeys)
  return (await made)[alg]
}
