/** A setting that cannot be used. The message is one line that names the flag, the variable or the file it came from. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
