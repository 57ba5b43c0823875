import { rowId } from '../../sandbox/outcomes/catalogue.ts'
import type { CallRecord } from '../../server/client/shapes.ts'
import { notForThisApp, RESTART } from '../trials/rows/known-before.ts'
import { unread } from '../trials/rows/start-trial.ts'
import { type TrialFinding, undetermined } from '../trials/trial.ts'
import type { ChosenVariant } from './chosen-variants.ts'
import type { ShownFlow } from './tried-flow.ts'
import type { ServiceDocument } from './watched-documents.ts'

/** Readings that change only a second use of a value: the endpoint, and the value in words. */
const USED_TWICE: Readonly<Record<string, readonly [endpoint: string, used: string]>> = {
  code_use: ['E4', 'its code'],
  request_uri_use: ['E3', 'its request_uri'],
  access_token_use: ['E5', 'its access token'],
}

/** What an app did under a variant. */
export interface MetBy {
  readonly runs: readonly ShownFlow[]
  /** The documents that the server of the app requested. */
  readonly documents: readonly ServiceDocument[]
  /** Whether a copy was started for the variant. */
  readonly isFresh: boolean
}

/**
 * Why the variant made no difference to the app; `undefined` when the journal or the requested
 * documents show a difference.
 */
export function whyNotMet(
  { reading, variant }: ChosenVariant,
  { runs, documents, isFresh }: MetBy,
): TrialFinding | undefined {
  const { name, shownBy } = reading
  const document = documentOf(name)
  if (document && !documents.includes(document))
    return isFresh ? notForThisApp(unread(document)) : undetermined(RESTART)
  const calls = runs.flatMap(({ flows }) => flows.map((flow) => flow.calls))
  const [twice, used] = USED_TWICE[name] ?? []
  if (used && calls.every((ofFlow) => countCalls(ofFlow, twice) < 2))
    return notForThisApp(`your app uses ${used} once, so that it meets no difference`)
  // If the service answers by an error page, there is no callback; the page itself is the answer.
  const isPage = variant.name === 'page' && calls.flat().some(isErrorPage)
  const isMet = runs.some(
    ({ flow, isDelivered }) => shownBy.includes(rowId(flow.row)) && (isDelivered || isPage),
  )
  if (isMet) return undefined
  return undetermined(
    `the journal shows no answer in which it makes a difference: ${shownBy.join(', ')}`,
  )
}

/** The document that a reading changes. */
function documentOf(reading: string): ServiceDocument | undefined {
  if (reading === 'discovery') return 'discovery'
  return ['key_set', 'key_members', 'kid'].includes(reading) ? 'jwks' : undefined
}

const countCalls = (calls: readonly CallRecord[], endpoint: string | undefined): number =>
  calls.filter((call) => call.endpoint === endpoint).length

const isErrorPage = ({ endpoint, status }: CallRecord): boolean =>
  (endpoint === 'E1' || endpoint === 'E3') && status >= 400
