import { setMaxListeners } from 'node:events'

/**
 * Starts a signal that aborts after `seconds`, or when `parent` aborts. `clear` stops its timer.
 * `AbortSignal.timeout` is not used, because Node 20 may garbage-collect that signal before it
 * fires (nodejs/node issue 57736).
 */
export function startDeadline(seconds: number, parent?: AbortSignal) {
  const controller = new AbortController()
  const { signal } = controller
  const abort = () => controller.abort()
  // Each concurrent request adds a listener, so Node's warning is turned off.
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
