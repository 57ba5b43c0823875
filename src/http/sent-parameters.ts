import { parseJson } from '../oidc/request/json.ts'
import { decodePairs, type Pairs } from '../oidc/request/parameters.ts'

/** The parts of a request that carry parameters. */
interface SentRequest {
  readonly method: string
  readonly queryPairs: Pairs
  readonly contentType: string | undefined
  readonly body: Uint8Array
}

/** Everything that a call sent, by name: from the query, the form or the JSON body; JSON texts are parsed. */
export function readSentParameters(request: SentRequest): Readonly<Record<string, unknown>> {
  if (request.method === 'GET') return readable(request.queryPairs)
  const text = Buffer.from(request.body).toString('utf8')
  if (!request.contentType?.startsWith('application/json')) return readable(decodePairs(text))
  const json = parseJson(text)
  // A text that may hold a secret is not repeated.
  if (!json.ok || typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    return { body: `${text.length} characters that are not a JSON object` }
  return { ...json.value }
}

/** Parameters that carry JSON. */
const JSON_PARAMETERS = ['claims', 'authorization_details']

/** Parameters by name, those that carry JSON parsed. */
function readable(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(([name, value = '\ufffd']) => {
      if (!JSON_PARAMETERS.includes(name)) return [name, value]
      const json = parseJson(value)
      return [name, json.ok ? json.value : value]
    }),
  )
}
