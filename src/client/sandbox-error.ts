/** A call that the sandbox refused, so that it changed nothing, or did not answer. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  /** Of the answer; 0 when there is none. */
  readonly status: number
  /** The code, for example `invalid_request`; `unreachable` when nothing answers, `timeout` when nothing came in time, `closed` after `close()`. */
  readonly error: string
  /** The nearest names, when one was unknown. */
  readonly suggestions: readonly string[]

  constructor(
    message: string,
    {
      status,
      error,
      suggestions = [],
      cause,
    }: { status: number; error: string; suggestions?: readonly string[] | undefined; cause?: unknown },
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.error = error
    this.suggestions = suggestions
  }
}
