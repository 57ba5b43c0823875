const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** Resolves on the first SIGTERM or SIGINT. A second one ends the process at once. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    const onFirst = () => {
      for (const signal of SIGNALS) {
        process.off(signal, onFirst)
        process.on(signal, () => process.exit())
      }
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, onFirst)
  })
}

/** Ends the process when it lingers for `milliseconds`, for example on a connection that a browser holds open. */
export function exitWithin(milliseconds: number): void {
  setTimeout(() => process.exit(), milliseconds).unref()
}
