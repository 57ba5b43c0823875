import { ConfigError } from '../../files/config-error.ts'

/** The value of `--timeout`. @throws ConfigError for what is no number of seconds above 0 */
export function readTimeout(text: string | undefined, defaultSeconds: number): number {
  if (text === undefined) return defaultSeconds
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0
  if (seconds > 0) return seconds
  throw ConfigError.of(`--timeout: ${JSON.stringify(text)} is not a number of seconds above 0`)
}
