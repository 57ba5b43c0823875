/** Something wrong in a file: the line (from 1) when it is known, and a sentence that names the field. */
export interface SourceProblem {
  readonly file: string
  readonly line?: number
  readonly message: string
}

/** Files that cannot be used. The message has one line for each problem: `personas/x.yaml:12: age_key.signals[0].method: ...`. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly problems: readonly SourceProblem[]

  constructor(problems: readonly SourceProblem[], options?: ErrorOptions) {
    super(problems.map(formatProblem).join('\n'), options)
    this.problems = problems
  }
}

function formatProblem({ file, line, message }: SourceProblem): string {
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`
}
