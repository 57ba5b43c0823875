import { createHmac, randomBytes } from 'node:crypto'
import type { Ids } from '../../service/oidc/ports.ts'

/**
 * Random bytes are drawn in blocks: a system call for each identifier would take as long as
 * checking a request.
 */
const POOL_BYTES = 4096

let pool = Buffer.alloc(0)
let drawnBytes = 0

function drawBytes(bytes: number): Buffer {
  if (drawnBytes + bytes > pool.length) {
    pool = randomBytes(Math.max(POOL_BYTES, bytes))
    drawnBytes = 0
  }
  drawnBytes += bytes
  return pool.subarray(drawnBytes - bytes, drawnBytes)
}

/**
 * Creates unguessable identifiers. With a seed, every run creates the same identifiers in the same
 * order.
 * @param options.scope separates the identifiers of one seed, for example by the name of a tenant
 */
export function createIds({ seed, scope }: { seed: number | undefined; scope: string }): Ids {
  if (seed === undefined) return { random: (bytes) => drawBytes(bytes).toString('base64url') }
  let drawn = 0
  return {
    random(bytes) {
      drawn += 1
      const block = createHmac('sha512', `agekey-sandbox ${seed}`)
        .update(`${scope} ${drawn}`)
        .digest()
      return block.subarray(0, Math.min(bytes, block.length)).toString('base64url')
    },
  }
}
