/** Why an audit can show nothing: one line about the cause and the remedy. */
export class AuditProblem extends Error {
  override readonly name = 'AuditProblem'
  /** The command that installs the missing browser. */
  readonly remedy: string | undefined

  constructor(message: string, { remedy, ...options }: ErrorOptions & { remedy?: string } = {}) {
    super(message, options)
    this.remedy = remedy
  }
}
