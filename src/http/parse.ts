import type * as z from 'zod'
import { checkAgainst, formatPath } from '../files/schema-problems.ts'
import { Refusal } from '../oidc/refusal.ts'

/** The value as `schema` reads it. @throws Refusal 400 with a sentence for each problem */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: 'path' | 'query' | 'body',
): z.output<Schema> {
  const checked = checkAgainst(schema, value)
  if (checked.kind === 'valid') return checked.value
  const lines = checked.problems.map(({ path, message }) => `${formatPath(path) || what}: ${message}`)
  throw Refusal.invalidRequest(lines.join('; '))
}
