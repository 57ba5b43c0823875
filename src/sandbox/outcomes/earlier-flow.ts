import type { UseTransaction } from '../../oidc/use.ts'
import type { CallRecord, Flow, Journal } from '../journal/journal.ts'

/** What an attacker can replay: the answer of a Use flow that is over. */
export interface EarlierFlow {
  readonly state: string
  readonly nonce: string
  readonly idToken: string
}

/** Good answers to look through: the client may send the same `state` and `nonce` a few times. */
const MOST_LOOKED_THROUGH = 20

/**
 * The last good answer in the journal that the client of `transaction` got, or `undefined`. Never one with the same `state`
 * or `nonce`, for sent again it would be right.
 */
export async function recallFlow(
  { clientId, state, nonce }: UseTransaction,
  { journal, name }: { journal: Journal; name: string },
): Promise<EarlierFlow | undefined> {
  const wanted = { flow: 'use', client_id: clientId, outcome: 'verified' }
  const flows = await journal.list(name, wanted, { most: MOST_LOOKED_THROUGH })
  return flows.flatMap(answerOf).find((answer) => answer.state !== state && answer.nonce !== nonce)
}

function answerOf({ calls }: Flow): EarlierFlow[] {
  const { state, nonce } = calls.find(({ endpoint }) => endpoint === 'E1')?.parameters ?? {}
  const [idToken] = calls.flatMap(idTokenIn)
  return typeof state === 'string' && typeof nonce === 'string' && idToken !== undefined
    ? [{ state, nonce, idToken }]
    : []
}

/** The id_token that a call sent to the browser: in a redirect, or in the fields of a form. */
function idTokenIn({ response }: CallRecord): string[] {
  const sent = typeof response === 'object' && response !== null ? { ...response } : {}
  const { location, params } = sent as { location?: unknown; params?: Readonly<Record<string, unknown>> }
  if (typeof location === 'string') {
    const { hash, search } = new URL(location)
    const idToken = new URLSearchParams(hash.slice(1) || search).get('id_token')
    return idToken === null ? [] : [idToken]
  }
  const field = params?.['id_token']
  return typeof field === 'string' ? [field] : []
}
