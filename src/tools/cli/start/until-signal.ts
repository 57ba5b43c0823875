import { startStopwatch } from '../../../sandbox/clock/clock.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * npm and npx forward Ctrl-C to a program that has already received it. A second signal within this
 * time is the same Ctrl-C.
 */
const SAME_SIGNAL_MS = 500

/** Resolves on the first SIGTERM or SIGINT. A later signal ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    const onFirst = () => {
      const passed = startStopwatch()
      for (const signal of SIGNALS) {
        process.off(signal, onFirst)
        process.on(signal, () => {
          if (passed() > SAME_SIGNAL_MS) process.exit()
        })
      }
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, onFirst)
  })
}

/**
 * Ends the process if it still runs after `milliseconds`, for example because a browser keeps a
 * connection open.
 */
export function exitWithin(milliseconds: number): void {
  setTimeout(() => process.exit(), milliseconds).unref()
}
