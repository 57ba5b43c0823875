import * as z from 'zod'
import { Refusal } from '../../oidc/refusal.ts'
import { looksLikeJson, parseJson } from '../../oidc/request/json.ts'
import { decodePairs, type Pairs, refuseManyParameters } from '../../oidc/request/parameters.ts'

export const sentSchema = z.object({
  kind: z.enum(['query', 'form', 'json']),
  text: z.string(),
})

/** A request as it came: the query string, or the body with its kind. */
export type Sent = Readonly<z.infer<typeof sentSchema>>

/** The kind of a body by its media type. Everything but JSON is read as a form. */
export const bodyKind = (contentType: string | undefined): Sent['kind'] =>
  contentType?.startsWith('application/json') ? 'json' : 'form'

/**
 * The parameters of a call by name. An unreadable body is only described by its fault or its length, because it may hold a secret.
 * @param pairs decodes a query or form
 */
export function parametersOf(
  sent: Sent,
  pairs: () => Pairs = () => decodePairs(sent.text),
): Readonly<Record<string, unknown>> {
  try {
    return readParameters(sent, pairs)
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message }
    throw error
  }
}

function readParameters({ kind, text }: Sent, pairs: () => Pairs): Readonly<Record<string, unknown>> {
  if (kind === 'query') return byName(pairs())
  if (kind === 'form') {
    return looksLikeJson(text) ? { body: `${text.length} characters that are JSON, not a form` } : byName(pairs())
  }
  const json = parseJson(text)
  if (!json.ok || typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    return { body: `${text.length} characters that are not a JSON object` }
  refuseManyParameters(Object.keys(json.value).length)
  return { ...json.value }
}

/** Parameters by name; a value that is not well-formed UTF-8 is one replacement character. */
function byName(pairs: Pairs): Record<string, unknown> {
  const named: Record<string, unknown> = Object.create(null)
  for (const [name, value = '\ufffd'] of pairs) named[name] = value
  return named
}
