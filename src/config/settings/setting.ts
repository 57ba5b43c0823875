import * as z from 'zod'

/** One setting: how its value is checked, where it can be given, and how it is explained. Its name is its key in the table. */
export interface Setting {
  /** Checks the value in the config file; its output is the value of the option of `createSandbox`. */
  readonly schema: z.ZodType
  /** Without it the setting has neither a flag nor an environment variable. */
  readonly flag?: SettingFlag
  /** For `--help` and docs/configuration.md. */
  readonly help: string
  /** The documentation of the option of `createSandbox`, where `help` does not say it. */
  readonly option?: string
  /** A path, or a list of them: relative to the folder of the config file, or to the working folder. */
  readonly isPath?: true
  /** A value of a path setting that is no path: `none`. */
  readonly word?: string
  /** Begins a paragraph of the file that `init` writes; lines without their `#`. */
  readonly about?: string
  /** The YAML behind the name in that file; a value of several lines begins with a line break. */
  readonly example: string
  /** The others are commented out there. */
  readonly isSet?: true
}

export interface SettingFlag {
  readonly short?: `-${string}`
  /** The name of the flag, where it is not that of the setting. */
  readonly name?: string
  /** The placeholder in `--help`; a flag without argument is a switch. */
  readonly argument?: `<${string}>`
  /** Makes a value of a text that is not one itself. What cannot be one is returned as it is: the schema refuses it. */
  parse?(text: string | readonly string[]): unknown
  /** Between several values in the environment variable. */
  readonly separator?: string
  /** Where `--help` shows it: with the flags of every day, else with all of them; `none` leaves only the environment variable. */
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

/** The message of a schema: the value, and what it should be. */
export const isNot = (expected: string) => (issue: { readonly input?: unknown }) =>
  issue.input === undefined
    ? `is missing; expected ${expected}`
    : `${typeof issue.input === 'string' ? JSON.stringify(issue.input) : String(issue.input)} is not ${expected}`

export const trueOrFalse = z.boolean({ error: isNot('true or false') })

export function wholeNumber(expected: string, { from, to }: { from: number; to: number }) {
  const error = isNot(expected)
  return z.int({ error }).gte(from, { error }).lte(to, { error })
}

/** A text that `problemOf` finds nothing wrong with. */
export const textWithout = (problemOf: (text: string) => string | undefined) =>
  z.string().check(({ value, issues }) => {
    const message = problemOf(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })

/** A list; the config file may give one text in its place. */
export const listOrOne = <Item extends z.ZodType<string, string>>(item: Item) =>
  z.union([item, z.array(item)]).transform((value) => [value].flat())
