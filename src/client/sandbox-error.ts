/** A control call that the sandbox refused: it changed nothing. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  readonly status: number
  /** The code, for example `invalid_request`. */
  readonly error: string
  /** The nearest names, when one was unknown. */
  readonly suggestions: readonly string[]

  constructor(
    message: string,
    { status, error, suggestions = [] }: { status: number; error: string; suggestions?: readonly string[] | undefined },
  ) {
    super(message)
    this.status = status
    this.error = error
    this.suggestions = suggestions
  }
}
