/** Why an audit can show nothing: one line that says what was met and what to do. */
export class AuditProblem extends Error {
  override readonly name = 'AuditProblem'
  /** The command that brings the browser which is missing. */
  readonly remedy?: string
}
