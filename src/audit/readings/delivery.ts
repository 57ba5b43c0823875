import type { Flow } from '../../client/shapes/flow.ts'
import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import { RESTART } from '../trials/applicability.ts'
import { UNREAD } from '../trials/start-trials.ts'
import type { ShownFlow } from './tried-flow.ts'
import type { ChosenVariant } from './variants.ts'

/** The documents that the app's server fetched from the tenant while its flows ran. */
export type DocumentName = 'discovery' | 'jwks'

interface Delivery {
  readonly runs: readonly ShownFlow[]
  readonly documents: readonly DocumentName[]
  /** The app was started under the variant. */
  readonly isFresh: boolean
}

/** Readings of what an app fetches when it starts or for its first token, and of nothing else. */
const DOCUMENT_OF: Readonly<Record<string, DocumentName>> = {
  discovery: 'discovery',
  key_set: 'jwks',
  key_members: 'jwks',
}

/** Whether the difference shows in what an app fetches at its start, so that a fresh copy meets more of it. */
export const needsStart = ({ reading: { name } }: ChosenVariant): boolean =>
  name in DOCUMENT_OF || name === 'unknown_members' || name === 'callback_iss'

/** Why the app met no difference; `undefined` when the journal or the counters show that it did. */
export function whyNotMet(chosen: ChosenVariant, { runs, documents, isFresh }: Delivery): string | undefined {
  const { name, shownBy } = chosen.reading
  const document = DOCUMENT_OF[name]
  if (document !== undefined && documents.includes(document)) return undefined
  if (document !== undefined) return isFresh ? UNREAD[document] : RESTART
  const own = CHECKS[name]?.(runs, chosen)
  if (own !== undefined) return own
  // With an error page of the service no callback comes: the page is what is sent.
  const isPage = name === 'expired_request_uri'
  const isSent = ({ isDelivered, flows }: ShownFlow) =>
    isDelivered || (isPage && callsOf(flows, 'E3').some((call) => call.status >= 400))
  const isMet = runs.some((shown) => shownBy.includes(rowId(shown.flow.row)) && isSent(shown))
  return isMet ? undefined : `the journal shows no answer in which it makes a difference: ${shownBy.join(', ')}`
}

const callsOf = (flows: readonly Flow[], endpoint: string) =>
  flows.flatMap(({ calls }) => calls.filter((call) => call.endpoint === endpoint))

type Check = (runs: readonly ShownFlow[], chosen: ChosenVariant) => string | undefined

const usedTwice =
  (endpoint: string, what: string): Check =>
  (runs) =>
    runs.some(({ flows }) => flows.some((flow) => callsOf([flow], endpoint).length > 1))
      ? undefined
      : `your app used ${what} once, so that it met no difference`

/** Answers of Create always come in a redirect. */
const inRedirect: Check = (runs) =>
  runs.some(({ flow, seen: { run } }) => flow.row.flow === 'create' || modeOf(run) !== 'form_post')
    ? undefined
    : 'your app asks for form_post, and its answers come in no redirect'

const modeOf = ({ request }: ShownFlow['seen']['run']) => request?.parameters['response_mode']

/** What a reading changes only under a condition that the flows of an app need not meet. */
const CHECKS: Readonly<Record<string, Check>> = {
  code_use: usedTwice('E4', 'its code'),
  request_uri_use: usedTwice('E3', 'its request_uri'),
  access_token_use: usedTwice('E5', 'its access token'),
  code_lifetime: (_runs, { variant, usual }) =>
    `an audit does not wait for ${Math.min(Number(variant.name), Number(usual))} seconds before your app exchanges its code`,
  redirect_status: inRedirect,
  callback_spaces: inRedirect,
}
