import * as z from 'zod'
import { Refusal } from '../../oidc/refusal.ts'
import { looksLikeJson, parseJson } from '../../oidc/request/json.ts'
import { decodePairs, type Pairs, refuseManyParameters } from '../../oidc/request/parameters.ts'

export const sentSchema = z.object({
  kind: z.enum(['query', 'form', 'json']),
  text: z.string(),
})

/** What a call sent, as it came: the query string, or the body with its kind. */
export type Sent = Readonly<z.infer<typeof sentSchema>>

/** The kind of a body by its media type: all that is not JSON is read as a form. */
export const bodyKind = (contentType: string | undefined): Sent['kind'] =>
  contentType?.startsWith('application/json') ? 'json' : 'form'

/** The parameters of a call by name. Of what cannot be read this says only why, or how long it is: it may hold a secret. */
export function parametersOf(sent: Sent): Readonly<Record<string, unknown>> {
  try {
    return readParameters(sent)
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.message }
    throw error
  }
}

function readParameters({ kind, text }: Sent): Readonly<Record<string, unknown>> {
  if (kind === 'query') return byName(decodePairs(text))
  if (kind === 'form') {
    return looksLikeJson(text)
      ? { body: `${text.length} characters that are JSON, not a form` }
      : byName(decodePairs(text))
  }
  const json = parseJson(text)
  if (!json.ok || typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    return { body: `${text.length} characters that are not a JSON object` }
  refuseManyParameters(Object.keys(json.value).length)
  return { ...json.value }
}

/** Parameters by name; a value that is not well-formed UTF-8 is one replacement character. */
const byName = (pairs: Pairs): Record<string, unknown> =>
  Object.fromEntries(pairs.map(([name, value = '\ufffd']) => [name, value]))
