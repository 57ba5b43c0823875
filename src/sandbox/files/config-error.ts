/** A problem in a file: the line (from 1) if it is known, and a sentence that names the field. */
export interface FileProblem {
  readonly file: string
  readonly line?: number
  readonly message: string
}

/** The path of a setting in the config file: `['clients', 0, 'persona']`. */
export type SettingPath = readonly [string, ...(string | number)[]]

/**
 * Unusable settings or files. The message has one line for each problem; the stack is not needed.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** Problems in files; empty for other problems. */
  readonly problems: readonly FileProblem[]
  /** The setting with the wrong value, until the source of the setting is known. */
  readonly setting: { readonly path: SettingPath; readonly reason: string } | undefined

  private constructor(
    message: string,
    { problems = [], setting, cause }: Partial<Pick<ConfigError, 'problems' | 'setting' | 'cause'>>,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.problems = problems
    this.setting = setting
  }

  /** One problem. The message names the flag, variable, option or file. */
  static of(message: string, { cause }: { readonly cause?: unknown } = {}): ConfigError {
    return new ConfigError(message, { cause })
  }

  /** Problems in files, one line for each: `personas/x.yaml:12: age_key.signals[0].method: ...`. */
  static inFiles(
    problems: readonly FileProblem[],
    { cause }: { readonly cause?: unknown } = {},
  ): ConfigError {
    const lines = problems.map(
      ({ file, line, message }) => `${line === undefined ? file : `${file}:${line}`}: ${message}`,
    )
    return new ConfigError(lines.join('\n'), { problems, cause })
  }

  /**
   * A setting whose value is well-formed but wrong.
   * @param setting.label the name of the setting for callers of the library
   */
  static ofSetting(
    path: SettingPath,
    { label, reason }: { label: string; reason: string },
  ): ConfigError {
    return new ConfigError(`${label}: ${reason}`, { setting: { path, reason } })
  }
}
