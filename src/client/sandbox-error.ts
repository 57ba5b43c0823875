import { codeOf, messageOf } from '../files/caught.ts'

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

/** The error of a call that `fetch` could not make: it says of itself only that it failed. @param cause what `fetch` threw */
export function unreachable(url: string, cause: unknown): SandboxError {
  const reason = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
  const { origin, port } = new URL(url)
  const start = `npx agekey-sandbox${port === '' ? '' : ` --port ${port}`}`
  return new SandboxError(`${origin}: ${problemOf(reason, start)}`, { status: 0, error: 'unreachable', cause })
}

function problemOf(reason: unknown, start: string): string {
  const code = codeOf(reason)
  switch (code) {
    case 'ECONNREFUSED':
      return `nothing listens there; start a sandbox (${start}), or give the address of one that runs`
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
      return `the connection was lost before the answer came (${code}); look whether the sandbox was stopped`
    default:
      return `cannot be reached (${code ?? messageOf(reason)})`
  }
}
