import type { CreateTransaction } from '../oidc/create.ts'
import { parseJson } from '../oidc/request/json.ts'
import { decodePairs, type Pairs } from '../oidc/request/parameters.ts'
import type { UseTransaction } from '../oidc/use.ts'
import type { CallFacts } from '../sandbox/decision/expectations.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { Incoming } from './incoming.ts'

/** What an authorization request says of itself. */
export function authorizationFacts(
  { flow, clientId, state, nonce }: Pick<CreateTransaction | UseTransaction, 'flow' | 'clientId' | 'state'> & Nonce,
  request: Incoming,
): CallFacts {
  return {
    flow,
    client_id: clientId,
    state,
    nonce,
    // Read when somebody asks: without an armed scenario nobody does.
    get parameters() {
      return sentParameters(request)
    },
  }
}

/** Only of a Use request. */
type Nonce = Partial<Pick<UseTransaction, 'nonce'>>

/** What a server-to-server call says of itself, before anybody checked it. */
export function serverCallFacts(flow: OutcomeFlow, request: Incoming): CallFacts {
  const parameters = sentParameters(request)
  const { client_id: clientId, state } = parameters
  return {
    flow,
    client_id: typeof clientId === 'string' ? clientId : basicClientId(request.authorization),
    state: typeof state === 'string' ? state : undefined,
    nonce: undefined,
    parameters,
  }
}

/** Queue, scenarios and journal ask for the same call. */
const known = new WeakMap<Incoming, Readonly<Record<string, unknown>>>()

/** Everything that a call sent, by name: from the query, the form or the JSON body; JSON texts are parsed. */
export function sentParameters(request: Incoming): Readonly<Record<string, unknown>> {
  const parameters = known.get(request) ?? readSent(request)
  known.set(request, parameters)
  return parameters
}

/** One of them, as text; of a repeated one the last. */
export function sentText(request: Incoming, name: string): string | undefined {
  const value =
    request.method === 'GET'
      ? request.queryPairs.findLast((pair) => pair[0] === name)?.[1]
      : sentParameters(request)[name]
  return typeof value === 'string' ? value : undefined
}

/** What a query string sends. */
export const parametersIn = (query: string) => readable(decodePairs(query))

function readSent(request: Incoming): Readonly<Record<string, unknown>> {
  if (request.method === 'GET') return parametersIn(request.query)
  const text = Buffer.from(request.body).toString('utf8')
  if (!request.contentType?.startsWith('application/json')) return readable(decodePairs(text))
  const json = parseJson(text)
  if (!json.ok || typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    return unreadable(text)
  return { ...json.value }
}

/** A text that may hold a secret is not repeated. */
const unreadable = (text: string) => ({ body: `${text.length} characters that are no JSON object` })

/** Parameters that carry JSON. */
const JSON_PARAMETERS = ['claims', 'authorization_details']

function readable(pairs: Pairs): Record<string, unknown> {
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
