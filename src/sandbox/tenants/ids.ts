import { createHmac, randomFillSync } from 'node:crypto'
import type { Ids } from '../../oidc/ports.ts'

/**
 * Unguessable identifiers or, with a seed, the same ones in the same order in every run.
 * @param options.scope keeps worlds with the same seed apart, for example the name of a tenant.
 */
export function createIds({ seed, scope }: { seed: number | undefined; scope: string }): Ids {
  if (seed === undefined) return { random: (bytes) => drawRandom(bytes).toString('base64url') }
  let drawn = 0
  return {
    random(bytes) {
      drawn += 1
      const block = createHmac('sha512', `agekey-sandbox ${seed}`).update(`${scope} ${drawn}`).digest()
      return block.subarray(0, Math.min(bytes, block.length)).toString('base64url')
    },
  }
}

/** Random bytes are drawn by the page: each call of the generator costs as much as a thousand bytes of it. */
const pool = Buffer.alloc(4096)
let used = pool.length

function drawRandom(bytes: number): Buffer {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.subarray(used - bytes, used)
}
