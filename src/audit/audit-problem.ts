/** An audit cannot judge the app. The message is one line with the cause and the remedy. */
export class AuditProblem extends Error {
  override readonly name = 'AuditProblem'
  /** The command that installs a missing browser. */
  readonly remedy: string | undefined

  constructor(message: string, { remedy, ...options }: ErrorOptions & { remedy?: string } = {}) {
    super(message, options)
    this.remedy = remedy
  }
}
