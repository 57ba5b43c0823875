import { snakeCase } from '../../service/text/camel-case.ts'
import { SETTING_ROWS } from './settings.ts'

/**
 * The path of a value in the settings, by the names of the config file: `['clients', 0,
 * 'client_id']`.
 */
type ValuePath = readonly PropertyKey[]

const ADDRESSES: readonly PropertyKey[] = SETTING_ROWS.filter(([, { isAddress }]) => isAddress).map(
  ([name]) => snakeCase(name),
)

export const isAddress = (path: ValuePath): boolean =>
  ADDRESSES.includes(path[0] ?? '') || path.includes('redirect_uris')

/** Whether the value is a secret, or an address with a password. */
export function isSecret(path: ValuePath): boolean {
  const name = path.at(-1)
  return name === 'client_secret' || name === 'control_token' || name === 'store'
}
