import { startStopwatch } from '../../../sandbox/clock/clock.ts'

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * npm and npx pass Ctrl-C on to a program that has received it already: a signal that soon after
 * the first is the same one.
 */
const SAME_SIGNAL_MS = 500

/** Resolves on the first SIGTERM or SIGINT. A second signal ends the process at once. */
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
 * Ends the process when it lingers for `milliseconds`, for example because a browser holds a
 * connection open.
 */
export function exitWithin(milliseconds: number): void {
  setTimeout(() => process.exit(), milliseconds).unref()
}
