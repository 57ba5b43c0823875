/** One thing that is wrong with a file: the line (from 1) when it is known, and a sentence that names the field. */
export interface FileProblem {
  readonly file: string
  readonly line?: number
  readonly message: string
}

/** A setting, by its path in the config file: `['clients', 0, 'persona']`. */
export type SettingPath = readonly [string, ...(string | number)[]]

/** Settings or files that cannot be used. The message has one clear line for each problem, and no stack is needed with it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** Empty when the problem is not in a file. */
  readonly problems: readonly FileProblem[]
  /** The setting whose value is wrong, when only its source is still to be found. */
  readonly setting: { readonly path: SettingPath; readonly reason: string } | undefined

  private constructor(
    message: string,
    { problems = [], setting, cause }: Partial<Pick<ConfigError, 'problems' | 'setting' | 'cause'>>,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.problems = problems
    this.setting = setting
  }

  /** One problem; the message names the flag, the variable, the option or the file that it came from. */
  static of(message: string, { cause }: { readonly cause?: unknown } = {}): ConfigError {
    return new ConfigError(message, { cause })
  }

  /** Problems in files, a line for each: `personas/x.yaml:12: age_key.signals[0].method: ...`. */
  static inFiles(problems: readonly FileProblem[], { cause }: { readonly cause?: unknown } = {}): ConfigError {
    const lines = problems.map(
      ({ file, line, message }) => `${line === undefined ? file : `${file}:${line}`}: ${message}`,
    )
    return new ConfigError(lines.join('\n'), { problems, cause })
  }

  /** A value that is well-formed and wrong all the same. `label` names the setting to a caller of the library. */
  static ofSetting(path: SettingPath, { label, reason }: { label: string; reason: string }): ConfigError {
    return new ConfigError(`${label}: ${reason}`, { setting: { path, reason } })
  }
}
