import * as z from 'zod'

/**
 * A setting: the schema of its value, its sources, and its help. The key in the table is its name.
 */
export interface Setting {
  /** Checks the value in the config file and converts it to the option of `createSandbox`. */
  readonly schema: z.ZodType
  /** The flag and the environment variable; absent for a setting without either. */
  readonly flag?: SettingFlag
  /**
   * When a change of the config file takes effect: `live` at once, `restart` after a restart, for
   * which a warning asks.
   */
  readonly takenUp: 'live' | 'restart'
  /** The help text for `--help` and docs/configuration.md. */
  readonly help: string
  /** The documentation of the `createSandbox` option; `help` when absent. */
  readonly option?: string
  /** The value that means the same as an absent setting. */
  readonly usual?: unknown
  /**
   * Whether the value is a path or a list of paths, relative to the folder of the config file or to
   * the working folder.
   */
  readonly isPath?: true
  /**
   * Whether the value is an address or a list of addresses, so that no part of it may be a
   * placeholder.
   */
  readonly isAddress?: true
  /** A word that the value of a path setting may be instead of a path: `none`. */
  readonly word?: string
  /** The paragraph before the setting in the file that `init` writes, without `#`. */
  readonly about?: string
  /** The YAML after the name in that file. A value of several lines begins with a line break. */
  readonly example: string
  /** Whether that file sets the value; otherwise the line is a comment. */
  readonly isSet?: true
}

export interface SettingFlag {
  readonly short?: `-${string}`
  /** The name of the flag, if it differs from the name of the setting. */
  readonly name?: string
  /**
   * The name of the environment variable without its prefix, if it differs from the name of the
   * flag.
   */
  readonly variable?: string
  /** The placeholder in `--help`; a flag without one is a switch. */
  readonly argument?: `<${string}>`
  /**
   * Converts a text to a value. A text that cannot be converted is returned unchanged, so that the
   * schema refuses it.
   * @throws ConfigError with the reason, if the message of the schema would repeat a secret
   */
  parse?(text: string | readonly string[]): unknown
  /** The separator of several values in the environment variable. */
  readonly separator?: string | RegExp
  /**
   * Where the flag is shown: `daily` always in `--help`, absent only in the list of all flags,
   * `none` nowhere, because only the environment variable exists.
   */
  readonly shown?: 'daily' | 'none'
}

/**
 * Converts the text of a whole number; another text is returned unchanged.
 * @example
 * parseNumber('2435') // 2435
 * parseNumber('2435a') // '2435a'
 */
export const parseNumber: NonNullable<SettingFlag['parse']> = (text) =>
  typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : text

/** Converts `true` and `false`; another text is returned unchanged. */
export const parseBoolean: NonNullable<SettingFlag['parse']> = (text) =>
  text === 'true' || text === 'false' ? text === 'true' : text

/**
 * Splits a list at commas.
 * @example
 * parseCommas('10.0.0.0/8, loopback') // ['10.0.0.0/8', 'loopback']
 */
export const parseCommas: NonNullable<SettingFlag['parse']> = (text) =>
  [text].flat().flatMap((list) => list.split(',').map((item) => item.trim()))

export const nonEmpty = z.string().min(1)

/** The error message of a schema: the received value and what was expected. */
export const isNot = (expected: string) => (issue: { readonly input?: unknown }) =>
  issue.input === undefined
    ? `is missing; expected ${expected}`
    : `${typeof issue.input === 'string' ? JSON.stringify(issue.input) : String(issue.input)} is not ${expected}`

export const trueOrFalse = z.boolean({ error: isNot('true or false') })

export function wholeNumber(expected: string, { from, to }: { from: number; to: number }) {
  const error = isNot(expected)
  return z.int({ error }).gte(from, { error }).lte(to, { error })
}

/** A text for which `problemOf` finds no problem. */
export const textWithout = (problemOf: (text: string) => string | undefined) =>
  z.string().check(({ value, issues }) => {
    const message = problemOf(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })

/** A list, or a single text in place of a list with one item. */
export const listOrOne = <Item extends z.ZodType<string, string>>(item: Item) =>
  z.union([item, z.array(item)]).transform((value) => [value].flat())
