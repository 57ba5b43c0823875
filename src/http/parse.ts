import type * as z from 'zod'
import { checkAgainst, formatPath } from '../files/schema-problems.ts'
import type { Finding } from '../oidc/rules/findings.ts'

/** A control call that is refused: `{error, error_description, findings?}`. Nothing was changed. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  readonly error: string
  readonly suggestions: readonly string[]
  readonly findings: readonly Finding[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    message: string,
    {
      error = 'invalid_request',
      suggestions = [],
      findings = [],
      headers = {},
    }: {
      error?: string
      suggestions?: readonly string[]
      findings?: readonly Finding[]
      headers?: Readonly<Record<string, string>>
    } = {},
  ) {
    super(message)
    this.status = status
    this.error = error
    this.suggestions = suggestions
    this.findings = findings
    this.headers = headers
  }
}

/** The value as `schema` reads it. @throws ControlError 400 with a sentence for each problem */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: 'query' | 'body',
): z.output<Schema> {
  const checked = checkAgainst(schema, value)
  if (checked.kind === 'valid') return checked.value
  const lines = checked.problems.map(({ path, message }) => `${formatPath(path) || what}: ${message}`)
  throw new ControlError(400, lines.join('; '))
}
