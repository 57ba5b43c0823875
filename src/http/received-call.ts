import type { CreateTransaction } from '../oidc/create.ts'
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
  sentParameters: () => request.sentParameters(),
})

/** A server-to-server call, as it describes itself before the service has checked it. */
export function serverCall(flow: OutcomeFlow, request: Incoming): ReceivedCall {
  const parameters = request.sentParameters()
  const { client_id: clientId, state } = parameters
  return {
    flow,
    client_id: typeof clientId === 'string' ? clientId : basicClientId(request.authorization),
    state: typeof state === 'string' ? state : undefined,
    nonce: undefined,
    sentParameters: () => parameters,
  }
}

function basicClientId(authorization = ''): string | undefined {
  const encoded = /^basic +(\S+)/i.exec(authorization)?.[1]
  return encoded && Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0]
}
