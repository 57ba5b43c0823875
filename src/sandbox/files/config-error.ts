/** A mistake in a file: the line (from 1) if it is known, and a sentence that names the field. */
export interface FileProblem {
  readonly file: string
  readonly line?: number
  readonly message: string
}

/** The setting, by its path in the config file: `['clients', 0, 'persona']`. */
export type SettingPath = readonly [string, ...(string | number)[]]

/**
 * Unusable settings or files. The message has one clear line for each problem and needs no stack.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** The problems of a file; empty for other problems. */
  readonly problems: readonly FileProblem[]
  /** The setting whose value is wrong, while its source is still to be found. */
  readonly setting: { readonly path: SettingPath; readonly reason: string } | undefined

  private constructor(
    message: string,
    { problems = [], setting, cause }: Partial<Pick<ConfigError, 'problems' | 'setting' | 'cause'>>,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.problems = problems
    this.setting = setting
  }

  /** One problem. The message names its flag, variable, option or file. */
  static of(message: string, { cause }: { readonly cause?: unknown } = {}): ConfigError {
    return new ConfigError(message, { cause })
  }

  /** Problems in files, a line for each: `personas/x.yaml:12: age_key.signals[0].method: ...`. */
  static inFiles(
    problems: readonly FileProblem[],
    { cause }: { readonly cause?: unknown } = {},
  ): ConfigError {
    const lines = problems.map(
      ({ file, line, message }) => `${line === undefined ? file : `${file}:${line}`}: ${message}`,
    )
    return new ConfigError(lines.join('\n'), { problems, cause })
  }

  /** A well-formed value that is wrong. `label` names the setting to a caller of the library. */
  static ofSetting(
    path: SettingPath,
    { label, reason }: { label: string; reason: string },
  ): ConfigError {
    return new ConfigError(`${label}: ${reason}`, { setting: { path, reason } })
  }
}
