import { setMaxListeners } from 'node:events'

/**
 * A signal that aborts when its time is over, or with another signal; `clear` ends its timer. Not `AbortSignal.timeout`: Node 20 may
 * collect that as garbage before it fires (nodejs/node issue 57736), and what waits for it then waits for ever.
 */
export function startDeadline(seconds: number, parent?: AbortSignal) {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort()
  // Each visit at the same time listens to it.
  setMaxListeners(0, signal)
  const timer = setTimeout(abort, seconds * 1000)
  parent?.addEventListener('abort', abort)
  if (parent?.aborted) abort()
  const clear = () => {
    clearTimeout(timer)
    parent?.removeEventListener('abort', abort)
  }
  return { signal, clear }
}
