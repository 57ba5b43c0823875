import { ConfigError } from '../../files/config-error.ts'

/** The value of `--timeout`. @throws ConfigError for what is no number of seconds above 0, or from 0 up with `orZero` */
export function readTimeout(text: string | undefined, defaultSeconds: number, { orZero = false } = {}): number {
  if (text === undefined) return defaultSeconds
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : -1
  if (seconds > 0 || (orZero && seconds === 0)) return seconds
  throw ConfigError.of(
    `--timeout: ${JSON.stringify(text)} is not a number of seconds ${orZero ? 'from 0 up' : 'above 0'}`,
  )
}
