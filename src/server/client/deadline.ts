import { setMaxListeners } from 'node:events'

/**
 * A signal that aborts after `seconds`, or with `parent`; `clear` stops its timer. Not
 * `AbortSignal.timeout`: Node 20 may garbage-collect that signal before it fires (nodejs/node issue
 * 57736), and its listeners would wait for ever.
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
