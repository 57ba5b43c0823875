import nodeModule from 'node:module'
import { setFlagsFromString } from 'node:v8'

/**
 * What old flows leave behind is taken away when it is half as much as what lives. V8 would let it grow to several times as
 * much, for a speed that a sandbox has no use for.
 */
export function keepHeapSmall(): void {
  // From here on compiled code would be kept under other flags than those that the next start begins with.
  if ('flushCompileCache' in nodeModule && typeof nodeModule.flushCompileCache === 'function') {
    nodeModule.flushCompileCache()
  }
  setFlagsFromString('--heap-growing-percent=50')
}
