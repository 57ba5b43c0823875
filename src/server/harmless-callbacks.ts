import type { SandboxOptions } from './sandbox-options.ts'

/**
 * The options, with callbacks that cannot break an answer or end the process: what one throws, or rejects with, is given to
 * `onError`. An `onError` that fails itself has nowhere to report to: the library prints nothing.
 */
export function withHarmlessCallbacks(options: SandboxOptions): SandboxOptions {
  const onError = harmless(
    (error: unknown) => options.onError?.(error),
    () => {},
  )
  return {
    ...options,
    onError,
    // Without a listener no summary of a call is made.
    ...(options.onCall && { onCall: harmless((call) => options.onCall?.(call), onError) }),
    onWarning: harmless((message) => options.onWarning?.(message), onError),
  }
}

/** @param callback may be asynchronous, although its type has no result */
function harmless<Given>(
  callback: (given: Given) => unknown,
  onFailure: (error: unknown) => void,
): (given: Given) => void {
  return (given) => {
    try {
      Promise.resolve(callback(given)).catch(onFailure)
    } catch (error) {
      onFailure(error)
    }
  }
}
