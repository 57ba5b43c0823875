import { createHmac, randomBytes } from 'node:crypto'
import type { Ids } from '../../oidc/ports.ts'

/**
 * Unguessable identifiers or, with a seed, the same ones in the same order in every run.
 * @param options.scope keeps ids with the same seed apart, for example the name of a tenant.
 */
export function createIds({ seed, scope }: { seed: number | undefined; scope: string }): Ids {
  if (seed === undefined) return { random: (bytes) => randomBytes(bytes).toString('base64url') }
  let drawn = 0
  return {
    random(bytes) {
      drawn += 1
      const block = createHmac('sha512', `agekey-sandbox ${seed}`).update(`${scope} ${drawn}`).digest()
      return block.subarray(0, Math.min(bytes, block.length)).toString('base64url')
    },
  }
}
