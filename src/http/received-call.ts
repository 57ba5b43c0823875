import type { CreateTransaction } from '../oidc/create.ts'
import { parseJson } from '../oidc/request/json.ts'
import { decodePairs, type Pairs } from '../oidc/request/parameters.ts'
import type { UseTransaction } from '../oidc/use.ts'
import type { ReceivedCall } from '../sandbox/decision/call.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { Incoming } from './incoming.ts'

type Transaction = UseTransaction | CreateTransaction

/** An authorization request, as expectations and scenarios see it. */
export const authorizationCall = (
  { flow, clientId, state, nonce }: Pick<Transaction, 'flow' | 'clientId' | 'state'> & { nonce?: string | undefined },
  request: Incoming,
): ReceivedCall => ({
  flow,
  client_id: clientId,
  state,
  nonce,
  sentParameters: () => sentParameters(request),
})

/** A server-to-server call, as it describes itself before the service has checked it. */
export function serverCall(flow: OutcomeFlow, request: Incoming): ReceivedCall {
  const parameters = sentParameters(request)
  const { client_id: clientId, state } = parameters
  return {
    flow,
    client_id: typeof clientId === 'string' ? clientId : basicClientId(request.authorization),
    state: typeof state === 'string' ? state : undefined,
    nonce: undefined,
    sentParameters: () => parameters,
  }
}

/** Everything that a call sent, by name: from the query, the form or the JSON body; JSON texts are parsed. */
export function sentParameters(request: Incoming): Readonly<Record<string, unknown>> {
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
export function readable(pairs: Pairs): Record<string, unknown> {
  return Object.fromEntries(
    pairs.map(([name, value = '\ufffd']) => {
      if (!JSON_PARAMETERS.includes(name)) return [name, value]
      const json = parseJson(value)
      return [name, json.ok ? json.value : value]
    }),
  )
}

function basicClientId(authorization = ''): string | undefined {
  const encoded = /^basic +(\S+)/i.exec(authorization)?.[1]
  return encoded && Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0]
}
