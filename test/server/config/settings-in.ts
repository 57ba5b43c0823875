import { loadSettings } from '../../../src/server/config/load-settings.ts'
import type { Texts } from '../../../src/server/config/text-settings.ts'
import { folderWith } from '../../support/folder-with.ts'

/**
 * The settings in a new folder with `files`: a function that reads them with flags and an
 * environment.
 */
export function settingsIn(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const cwd = folderWith(files)
  const load = (flags: Texts = {}, env: Record<string, string> = {}) =>
    loadSettings({ flags, env, cwd })
  return { cwd, load }
}

/** The settings of the config file `text`. */
export const loadFile = (text: string, env: Record<string, string> = {}) =>
  settingsIn({ 'agekey-sandbox.yaml': text }).load({}, env)

/** The settings of an environment without a config file. */
export const loadEnvironment = (env: Record<string, string>) => settingsIn().load({}, env)

/** The message of settings that cannot be used. */
export const problemOf = (settings: Promise<unknown>): Promise<string> =>
  settings.then(
    () => 'there is no problem',
    (error: unknown) => String(error).replace('ConfigError: ', ''),
  )
