import type { GivenSettings } from '../client/shapes.ts'
import { createOptionCheck } from '../config/option-check.ts'
import type { CallSummary } from '../http/handler.ts'

/**
 * The options of a sandbox: the settings of the config file in camelCase, and callbacks. All are
 * optional.
 */
export interface SandboxOptions extends GivenSettings {
  onCall?(call: CallSummary): void
  onError?(error: unknown): void
  onWarning?(message: string): void
  /**
   * The report of an audit as JSON, for the page Audit of the console. The command line gives the
   * last report of its folder.
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
 * The options with callbacks that can neither break an answer nor end the process: their errors go
 * to `onError`. The error of an `onError` is dropped, since the library prints nothing.
 */
export function withHarmlessCallbacks(options: SandboxOptions): SandboxOptions {
  const onError = harmless<unknown>((error) => options.onError?.(error))
  return {
    ...options,
    onError,
    // Without a listener calls are not summarised.
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
