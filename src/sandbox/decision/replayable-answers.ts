import { callbackOf } from '../journal/call-meaning.ts'
import type { Journal, ListedFlow } from '../journal/journal.ts'
import type { ReplayableAnswer } from '../outcomes/tamper-tools.ts'

/** Flows that begin at once may share `state` or `nonce` with the request; more than a few do not. */
const MAX_SEARCHED = 10

/**
 * The newest good answer to a client that does not share the `nonce` of its request: sent again, any other could be right. One with
 * another `state` too goes first; some clients send the same one each time. It comes from the journal, so that it is one that the
 * relying party has seen.
 */
export async function findReplayableAnswer(
  { clientId, ...request }: { clientId: string; state: string; nonce: string },
  { journal, name }: { journal: Journal; name: string },
): Promise<ReplayableAnswer | undefined> {
  const filter = { flow: 'use', client_id: clientId, outcome: 'verified', audit: 'also' } as const
  let searched = 0
  let sameState: ReplayableAnswer | undefined
  for await (const flow of journal.list(name, filter)) {
    const answer = answerIn(flow)
    if (answer && answer.nonce !== request.nonce) {
      if (answer.state !== request.state) return answer
      sameState ??= answer
    }
    searched += 1
    if (searched === MAX_SEARCHED) break
  }
  return sameState
}

function answerIn(flow: ListedFlow): ReplayableAnswer | undefined {
  const { state, nonce } = flow.calls[0]?.parameters ?? {}
  const idToken = callbackOf(flow)?.['id_token']
  return typeof state === 'string' && typeof nonce === 'string' && idToken !== undefined
    ? { state, nonce, idToken }
    : undefined
}
