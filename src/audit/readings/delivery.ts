import type { Flow } from '../../client/shapes/flow.ts'
import type { Reading } from '../../sandbox/readings/reading.ts'
import { UNREAD } from '../judge/judge-starts.ts'
import { RESTART } from '../plan/applicability.ts'
import type { ShownFlow, TriedFlow } from './tried-flow.ts'

/** The documents that the app's server fetched from the tenant while its flows ran. */
export type DocumentName = 'discovery' | 'jwks'

export interface Delivery {
  readonly reading: Reading
  readonly variant: string
  readonly usual: string
  readonly runs: readonly { readonly flow: TriedFlow; readonly shown: ShownFlow }[]
  readonly documents: ReadonlySet<DocumentName>
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
export const needsStart = (reading: string): boolean =>
  reading in DOCUMENT_OF || reading === 'unknown_members' || reading === 'callback_iss'

/** Why the app met no difference; `undefined` when the journal or the counters show that it did. */
export function whyNotMet(delivery: Delivery): string | undefined {
  const { reading, runs, documents, isFresh } = delivery
  const document = DOCUMENT_OF[reading.name]
  if (document !== undefined) {
    if (documents.has(document)) return undefined
    return isFresh ? UNREAD[document] : RESTART
  }
  const own = CHECKS[reading.name]?.(delivery)
  if (own !== undefined) return own
  const isMet = runs.some(({ flow, shown }) => reading.shownBy.includes(idOf(flow)) && isSent(reading.name, shown))
  return isMet ? undefined : `the journal shows no answer in which it makes a difference: ${reading.shownBy.join(', ')}`
}

const idOf = ({ row }: TriedFlow) => `${row.flow}/${row.name}`

/** With an error page of the service no callback comes: the page is what is sent. */
const isSent = (reading: string, { isDelivered, flows }: ShownFlow): boolean =>
  isDelivered || (reading === 'expired_request_uri' && timesOf(flows, 'E3', (status) => status >= 400) > 0)

const timesOf = (flows: readonly Flow[], endpoint: string, isCounted = (_status: number) => true): number =>
  Math.max(
    0,
    ...flows.map(({ calls }) => calls.filter((call) => call.endpoint === endpoint && isCounted(call.status)).length),
  )

const usedOnce =
  (endpoint: string, what: string) =>
  ({ runs }: Delivery): string | undefined =>
    runs.some(({ shown }) => timesOf(shown.flows, endpoint) > 1)
      ? undefined
      : `your app used ${what} once, so that it met no difference`

/** What a reading changes only under a condition that the flows of an app need not meet. */
const CHECKS: Readonly<Record<string, (delivery: Delivery) => string | undefined>> = {
  code_use: usedOnce('E4', 'its code'),
  request_uri_use: usedOnce('E3', 'its request_uri'),
  access_token_use: usedOnce('E5', 'its access token'),
  code_lifetime({ variant, usual, runs }) {
    const seconds = Math.min(Number(variant), Number(usual))
    const isLate = runs.some(({ shown }) => shown.flows.some((flow) => ageOfCode(flow) >= seconds))
    return isLate ? undefined : `your app exchanged its code at once, not after ${seconds} seconds`
  },
  par_status: ({ variant, runs }) => seenStatus(['E2'], Number(variant), runs),
  redirect_status: ({ variant, runs }) => seenStatus(['E1', 'E3'], Number(variant), runs),
  callback_spaces: ({ runs }) =>
    runs.some(({ flow, shown }) => flow.row.flow === 'create' || shown.parameters['response_mode'] !== 'form_post')
      ? undefined
      : 'your app asks for form_post, and its answers come in no redirect',
}

/** Whether an endpoint answered with a status, which the journal says. */
function seenStatus(endpoints: readonly string[], status: number, runs: Delivery['runs']): string | undefined {
  const calls = runs.flatMap(({ shown }) => shown.flows.flatMap((flow) => flow.calls))
  const isSeen = calls.some((call) => endpoints.includes(call.endpoint) && call.status === status)
  return isSeen ? undefined : `the journal shows no ${endpoints.join(' or ')} that was answered with ${status}`
}

/** Seconds from the answer with a code to its exchange; 0 without one. */
function ageOfCode({ calls }: Flow): number {
  const instantOf = (endpoint: string) => Date.parse(calls.find((call) => call.endpoint === endpoint)?.at ?? '')
  const seconds = (instantOf('E4') - instantOf('E1')) / 1000
  return Number.isNaN(seconds) ? 0 : seconds
}
