import { hash } from 'node:crypto'
import type { Callback } from '../../service/oidc/callback.ts'
import type { CreateTransaction } from '../../service/oidc/create.ts'
import type { Endpoint } from '../../service/oidc/endpoints.ts'
import type { UseEvaluation, UseTransaction } from '../../service/oidc/use.ts'
import { findOutcome } from '../outcomes/catalogue.ts'
import type { Outcome } from '../outcomes/outcome.ts'

/** What an authorization request of the app asked for. */
export type Asked = 'use' | 'can_create' | 'no_can_create' | 'upgrade' | 'create'

/** How a Use or Create flow ended for the client. */
export type EndingName =
  | 'verified'
  | 'none_met'
  | 'code_issued'
  | 'create_requested'
  | 'access_denied'
  | 'other_error'
  | 'created'
  | 'create_denied'
  | 'request_uri_expired'

/** The name of something that a client sees. The id of claims has 8 hex digits. */
export type NameOfSeen =
  | `asked ${Asked}`
  | `ending ${EndingName}`
  /** With the id of a row: `row use/id_token.expired`. */
  | `row ${string}/${string}`
  /** With the id of claims and a threshold: `answer 1a2b3c4d/18 true`. */
  | `answer ${string}/${number | string} ${boolean}`
  /** With the id of claims. The text of this name is the claims object as JSON. */
  | `claims ${string}`

/** The members of an answer that coverage reads. */
interface DeliveredAnswer {
  /** The valid authorization request that the call began or ended. */
  readonly asked?: UseTransaction | CreateTransaction | undefined
  readonly callback?: Callback | undefined
  /** The evaluation of a verified Use flow. */
  readonly evaluation?: UseEvaluation | undefined
  readonly decision?: { readonly outcome: Outcome } | undefined
  readonly endedAs?: string | undefined
  readonly forcedOutcome?: Outcome | undefined
}

type SeenPairs = (readonly [name: NameOfSeen, text: string])[]

/**
 * The names of what a client sees by this answer: what the request asked for, the row of the
 * catalogue, the ending of the flow, and the answer to each threshold. A page that waits for its
 * user shows nothing to the client yet.
 */
export function seenNames({ caller, flow }: Endpoint, answer: DeliveredAnswer): SeenPairs {
  const { asked, callback, forcedOutcome: forced } = answer
  // Decision: an unchanged reply to a server-to-server call adds no name. Such calls carry no mark
  // of an audit, so the sandbox cannot tell whether a test or an audit caused them.
  if (caller !== 'browser') return forced ? [[`row ${forced.flow}/${forced.name}`, '']] : []
  const names: SeenPairs = []
  let claimsId = ''
  if (asked) names.push([`asked ${asked.flow}`, ''])
  if (asked?.flow === 'use') {
    const text = JSON.stringify(asked.claims)
    claimsId = hash('sha256', text.replaceAll(INSTANTS, '"verified_after":true')).slice(0, 8)
    // What a request asked for is a gap until it is answered.
    names.push([`claims ${claimsId}`, text])
    names.push([asked.canCreate ? 'asked can_create' : 'asked no_can_create', ''])
    if (asked.upgrade) names.push(['asked upgrade', ''])
  }
  if (callback && (flow === 'use' || flow === 'create'))
    addEnded({ ...answer, flow, callback, claimsId }, names)
  return names
}

/**
 * The instants in the JSON of parsed claims. Claims that differ only in instants have the same id.
 * Parsing has put their members in the order of the schema.
 */
const INSTANTS = /"verified_after":"[^"]*"/g

/** A flow whose callback is sent to the client. */
interface EndedFlow extends DeliveredAnswer {
  readonly flow: 'use' | 'create'
  readonly callback: Callback
  readonly claimsId: string
}

function addEnded(ended: EndedFlow, names: SeenPairs): void {
  const { flow, callback, claimsId, evaluation, decision, endedAs } = ended
  const refusedAs = endedAs === undefined ? undefined : findOutcome(flow, endedAs)
  const outcome = decision?.outcome ?? refusedAs
  if (outcome) names.push([`row ${flow}/${outcome.name}`, ''])
  // Decision: an outcome that changes an answer counts only for its row. An outcome that a correct
  // client accepts also counts for the ending and the answers, because it does not change them.
  if (outcome?.apply && outcome.correctClient !== 'accept') return
  const params = new Map(callback.params)
  if (!evaluation) {
    names.push([`ending ${endingOf(flow, params, outcome)}`, ''])
    return
  }
  for (const [threshold, met] of Object.entries(evaluation.ageThresholds))
    names.push([`answer ${claimsId}/${threshold} ${met}`, ''])
  const isMet = Object.values(evaluation.ageThresholds).includes(true)
  names.push([isMet ? 'ending verified' : 'ending none_met', ''])
  // A code is then the regular answer, whether or not the outcome `code_issued` was forced.
  if (params.has('code')) names.push(['row use/code_issued', ''], ['ending code_issued', ''])
}

/** The ending of a flow without an evaluation. */
function endingOf(
  flow: 'use' | 'create',
  params: ReadonlyMap<string, string>,
  outcome: Outcome | undefined,
): EndingName {
  if (params.get('create_requested') === 'true') return 'create_requested'
  if (params.get('error') === 'access_denied')
    return flow === 'use' ? 'access_denied' : 'create_denied'
  if (outcome?.name === 'request_uri.expired') return 'request_uri_expired'
  return params.has('error') ? 'other_error' : 'created'
}
