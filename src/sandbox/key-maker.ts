import { deriveStoredKeys } from './derived-keys.ts'
import { generateStoredKeys, importKeys, type SigningKeys } from './signing-keys.ts'

/** Makes the keys of rotations: new ones or, with a seed, the same ones in the same order in every run. */
export function createKeyMaker(seed: number | undefined): () => Promise<SigningKeys> {
  let made = 0
  return async () => {
    made += 1
    return importKeys(
      seed === undefined ? await generateStoredKeys() : await deriveStoredKeys(`rotation ${seed} ${made}`),
    )
  }
}
