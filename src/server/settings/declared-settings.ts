import type { SandboxSettings } from '../../sandbox/tenants/shared-parts.ts'
import { formerSecretsOf } from '../../sandbox/tenants/tenant-settings.ts'
import { changedSettings } from '../config/settings.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import { settleSettings, warningsOf } from './settle-settings.ts'

/** The settings that the options of a sandbox declare for all tenants. */
export interface DeclaredSettings {
  /** The settings at present. */
  readonly settings: SandboxSettings
  /**
   * Replaces all settings by the settings of new options, or none. New warnings go to `onWarning`.
   * @returns the names of the options that changed
   * @throws ConfigError for a bad persona file, or an unknown persona or outcome
   */
  change(options: SandboxOptions): Promise<readonly string[]>
}

/**
 * Reads the settings of `options` and reports their warnings.
 * @throws ConfigError like `change`
 */
export async function declareSettings(options: SandboxOptions): Promise<DeclaredSettings> {
  let running = options
  const declared = {
    settings: await settleSettings(options),
    async change(given: SandboxOptions) {
      // The seed stays: the identifiers of each tenant depend on it.
      const next = await settleSettings({ ...given, seed: options.seed }, running)
      const { settings } = declared
      const known = warningsOf(settings)
      for (const warning of warningsOf(next))
        if (!known.includes(warning)) options.onWarning?.(warning)
      const changed = changedSettings(byOption(settings), byOption(next), 'live')
      declared.settings = { ...next, formerSecrets: formerSecretsOf(settings) }
      running = given
      return changed
    },
  }
  for (const warning of warningsOf(declared.settings)) options.onWarning?.(warning)
  return declared
}

/** The settings under the names of their options. */
const byOption = (settings: SandboxSettings) => ({
  ...settings,
  ...settings.vocabulary,
  ...settings.defaults,
})
