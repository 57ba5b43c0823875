import { setMaxListeners } from 'node:events'

/**
 * A signal that aborts after some time, or with another signal; `clear` stops its timer. It replaces `AbortSignal.timeout`, which Node 20
 * may collect as garbage before it fires (nodejs/node issue 57736), so that its listeners wait for ever.
 */
export function startDeadline(seconds: number, parent?: AbortSignal) {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort()
  // Each concurrent visit adds a listener.
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
