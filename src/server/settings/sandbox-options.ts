import type { GivenSettings } from '../client/shapes.ts'
import { createOptionCheck } from '../config/option-check.ts'
import type { CallSummary } from '../http/handler.ts'

/**
 * The options of `createSandbox`: the settings of the config file in camelCase, and callbacks. All
 * are optional.
 */
export interface SandboxOptions extends GivenSettings {
  onCall?(call: CallSummary): void
  onError?(error: unknown): void
  onWarning?(message: string): void
  /**
   * Returns the report of an audit as JSON, which the console shows on its page Audit. The command
   * line returns the last report in its folder.
   */
  lastAudit?(): string | undefined | Promise<string | undefined>
}

const CALLBACKS = [
  'onCall',
  'onError',
  'onWarning',
  'lastAudit',
] as const satisfies (keyof SandboxOptions)[]

/**
 * Checks options that come from JavaScript or from JSON.
 * @throws ConfigError for an unknown option or a value that cannot be used
 */
export const checkSandboxOptions: (options: SandboxOptions) => void = createOptionCheck(CALLBACKS)

/**
 * Wraps the callbacks so that their errors neither break an answer nor end the process: they go to
 * `onError`. An error of `onError` itself is dropped, because the library prints nothing.
 */
export function withHarmlessCallbacks(options: SandboxOptions): SandboxOptions {
  const onError = harmless<unknown>((error) => options.onError?.(error))
  return {
    ...options,
    onError,
    // Stays absent without a listener, so that calls are not summarized.
    ...(options.onCall && { onCall: harmless((call) => options.onCall?.(call), onError) }),
    onWarning: harmless((message) => options.onWarning?.(message), onError),
  }
}

/** @param callback may be asynchronous, although its type has no result */
function harmless<Given>(callback: (given: Given) => unknown, onFailure = (_error: unknown) => {}) {
  return (given: Given): void => {
    try {
      Promise.resolve(callback(given)).catch(onFailure)
    } catch (error) {
      onFailure(error)
    }
  }
}
