import * as z from 'zod'

/**
 * One setting: how its value is checked, where it can be given, and its help. Its name is its key
 * in the table.
 */
export interface Setting {
  /** Checks the value in the config file. The output is the option of `createSandbox`. */
  readonly schema: z.ZodType
  /** The flag and the environment variable; absent for a setting that has neither. */
  readonly flag?: SettingFlag
  /**
   * When a running sandbox takes up a change of the config file: `live`: at once, or `restart`: a
   * warning asks for one.
   */
  readonly takenUp: 'live' | 'restart'
  /** For `--help` and docs/configuration.md. */
  readonly help: string
  /** The documentation of the option of `createSandbox`, where `help` does not say it. */
  readonly option?: string
  /** A value with which the sandbox starts as it does without the setting. */
  readonly usual?: unknown
  /**
   * Whether the value is a path, or a list of paths: relative to the folder of the config file, or
   * to the working folder.
   */
  readonly isPath?: true
  /**
   * Whether the value is an address, or a list of addresses: no part of it may be a placeholder.
   */
  readonly isAddress?: true
  /** A value of a path setting that is not a path: `none`. */
  readonly word?: string
  /** The paragraph before the setting in the file that `init` writes; lines without their `#`. */
  readonly about?: string
  /** The YAML behind the name in that file. A value of several lines begins with a line break. */
  readonly example: string
  /** Whether the file sets the value; otherwise its line is a comment. */
  readonly isSet?: true
}

export interface SettingFlag {
  readonly short?: `-${string}`
  /** The name of the flag, where it differs from that of the setting. */
  readonly name?: string
  /**
   * The name of the environment variable without its prefix, where it differs from that of the
   * flag.
   */
  readonly variable?: string
  /** The placeholder in `--help`; a flag without one is a switch. */
  readonly argument?: `<${string}>`
  /**
   * Converts a text to a value. A text that cannot be converted is returned as it is, and the
   * schema refuses it.
   * @throws ConfigError with the reason, where the schema would repeat a secret
   */
  parse?(text: string | readonly string[]): unknown
  /** The separator of several values in the environment variable. */
  readonly separator?: string | RegExp
  /**
   * Where `--help` shows the flag: `daily` always, otherwise with all flags. `none`: there is only
   * the environment variable.
   */
  readonly shown?: 'daily' | 'none'
}

/** Reads the digits of a whole number. */
export const parseNumber: NonNullable<SettingFlag['parse']> = (text) =>
  typeof text === 'string' && /^-?\d+$/.test(text) ? Number(text) : text

/** Reads `true` and `false`. */
export const parseBoolean: NonNullable<SettingFlag['parse']> = (text) =>
  text === 'true' || text === 'false' ? text === 'true' : text

/** Reads lists that are separated by commas. */
export const parseCommas: NonNullable<SettingFlag['parse']> = (text) =>
  [text].flat().flatMap((list) => list.split(',').map((item) => item.trim()))

export const nonEmpty = z.string().min(1)

/** The message of a schema: the value, and what was expected. */
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

/** A list; the config file may give a single text instead. */
export const listOrOne = <Item extends z.ZodType<string, string>>(item: Item) =>
  z.union([item, z.array(item)]).transform((value) => [value].flat())
