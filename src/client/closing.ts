import { setMaxListeners } from 'node:events'
import type { Transport } from './create-sandbox-api.ts'
import { SandboxError } from './sandbox-error.ts'

/** The end of a sandbox, or of a connection to a sandbox, for its users. */
export interface Closing {
  /** Aborted by `close`. */
  readonly signal: AbortSignal
  /** @throws SandboxError after `close` */
  check(): void
  /** The same transport; after `close` its calls reject, new ones and those in progress. */
  guard(transport: Transport): Transport
  close(): void
}

/** @param makeAnother how to get another sandbox, for the message */
export function createClosing(makeAnother: string): Closing {
  const controller = new AbortController()
  const { signal } = controller
  // Each waiting call adds a listener.
  setMaxListeners(0, signal)
  const inProgress = new Set<(reason: SandboxError) => void>()
  const closed = () =>
    new SandboxError(`the sandbox is closed: close() was called; ${makeAnother}`, { status: 0, error: 'closed' })

  const untilClosed = <Result>(call: () => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      if (signal.aborted) return reject(closed())
      inProgress.add(reject)
      const end = () => inProgress.delete(reject)
      call().then(resolve, reject).then(end, end)
    })
  return {
    signal,
    check() {
      if (signal.aborted) throw closed()
    },
    guard: ({ call, lastEnded }) => ({
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
