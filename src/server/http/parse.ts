import type * as z from 'zod'
import { isJsonObject } from '../../service/age/json-object.ts'
import { Refusal } from '../../service/oidc/refusal.ts'
import { checkAgainst, formatPath } from '../../service/text/schema-problems.ts'

/**
 * Parses a value by `schema`.
 * @throws Refusal 400 with one sentence for each problem
 */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: 'path' | 'query' | 'body' | 'arguments',
): z.output<Schema> {
  const checked = checkAgainst(schema, value)
  if (checked.kind === 'valid') return checked.value
  const lines = checked.problems.map(
    ({ path, message }) =>
      `${formatPath(path) || what}: ${message}${isSaid(message) ? '' : received(value, path)}`,
  )
  throw Refusal.invalidRequest([...lines, ...checked.rest].join('; '))
}

/**
 * Whether the message already quotes the received value. A schema that converts text to numbers can
 * quote only the number, so the text is added here.
 */
const isSaid = (message: string) => !message.startsWith('must be') || message.includes(', found ')

function received(sent: unknown, path: readonly PropertyKey[]): string {
  const value = path.reduce(
    (one: unknown, name) => (isJsonObject(one) ? one[String(name)] : undefined),
    sent,
  )
  return value === undefined ? '' : `, not ${JSON.stringify(String(value).slice(0, MAX_SHOWN))}`
}

const MAX_SHOWN = 80
