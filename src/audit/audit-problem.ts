/** Why an audit can show nothing: one line about what was met and what to do. */
export class AuditProblem extends Error {
  override readonly name = 'AuditProblem'
  /** The command that installs the missing browser. */
  readonly remedy?: string
}
