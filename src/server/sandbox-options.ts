import { createOptionCheck } from '../config/option-check.ts'
import type { SettingOptions } from '../config/settings.ts'
import type { CallSummary } from '../http/handler.ts'

/** How a sandbox is set up: the settings of the config file, and callbacks. Everything is optional. */
export interface SandboxOptions extends SettingOptions {
  onCall?(call: CallSummary): void
  onError?(error: unknown): void
  onWarning?(message: string): void
}

const CALLBACKS = ['onCall', 'onError', 'onWarning'] as const satisfies (keyof SandboxOptions)[]

/** Checks options that come from JavaScript or from JSON. @throws ConfigError for an unknown option or a value that cannot be used */
export const checkSandboxOptions: (options: SandboxOptions) => void = createOptionCheck(CALLBACKS)
