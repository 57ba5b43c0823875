import type * as z from 'zod'
import { snakeCase } from '../files/camel-case.ts'
import { ADDRESS_SETTINGS } from './settings/address-settings.ts'
import { PROCESS_SETTINGS } from './settings/process-settings.ts'
import { SERVICE_SETTINGS } from './settings/service-settings.ts'
import type { Setting } from './settings/setting.ts'

/**
 * All settings, keyed by the name in the library (`baseUrl`). Flags (`--base-url`), environment variables (`AGEKEY_SANDBOX_BASE_URL`),
 * the config file (`base_url`) with its JSON Schema, the options of `createSandbox`, the starter file and the table in
 * docs/configuration.md are derived from it.
 */
export const SETTINGS = { ...ADDRESS_SETTINGS, ...SERVICE_SETTINGS, ...PROCESS_SETTINGS }

type Settings = typeof SETTINGS

/** The settings in one source. */
export type SettingValues = { readonly [Name in keyof Settings]?: DeepReadonly<z.output<Settings[Name]['schema']>> }

/** The settings that are options of `createSandbox`: all but the log of the command line. */
export type SettingOptions = Omit<SettingValues, 'log'>

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : { readonly [Key in keyof T]: DeepReadonly<T[Key]> }

/** The settings as rows. */
export const SETTING_ROWS: readonly (readonly [name: string, setting: Setting])[] = Object.entries(SETTINGS)

/** The name of a setting in the config file: `base_url`. */
export const keyOf = snakeCase
