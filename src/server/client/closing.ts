import { setMaxListeners } from 'node:events'
import type { Transport } from './sandbox-api.ts'
import { SandboxError } from './sandbox-error.ts'

/**
 * Creates the shared state of `close()` for a sandbox or a connection: after it, all calls reject.
 * @param makeAnother how to get another sandbox, for the message of the error
 */
export function createClosing(makeAnother: string) {
  const controller = new AbortController()
  const { signal } = controller
  // Each waiting call adds a listener, so Node's warning is turned off.
  setMaxListeners(0, signal)
  const inProgress = new Set<(reason: SandboxError) => void>()
  const closed = () =>
    new SandboxError(`the sandbox is closed: close() was called; ${makeAnother}`, {
      status: 0,
      error: 'closed',
    })

  const untilClosed = <Result>(call: () => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      if (signal.aborted) return reject(closed())
      inProgress.add(reject)
      const end = () => inProgress.delete(reject)
      call().then(resolve, reject).then(end, end)
    })
  return {
    /** Aborted by `close`. */
    signal,
    /** @throws SandboxError after `close` */
    check() {
      if (signal.aborted) throw closed()
    },
    /** Wraps a transport: after `close` its new calls and its calls in progress reject. */
    guard: ({ call, lastEnded }: Transport): Transport => ({
      lastEnded: () => untilClosed(lastEnded),
      call: (operationId, input) => untilClosed(() => call(operationId, input)),
    }),
    close() {
      for (const reject of inProgress) reject(closed())
      inProgress.clear()
      controller.abort()
    },
  }
}
