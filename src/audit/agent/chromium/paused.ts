import type { Visit } from '../browser.ts'
import { isWebAddress } from '../navigation.ts'
import { endpointOf, type Parties } from '../parties.ts'

/** What ends a visit other than that its page has come to rest. */
export type Ending = Pick<Visit, 'end' | 'url' | 'problem'>

/** A request that Chromium holds back, before it is sent or before its answer is read. */
export interface Paused {
  readonly requestId: string
  readonly request: {
    readonly url: string
    readonly urlFragment?: string
    readonly method: string
    readonly headers: object
  }
  readonly frameId: string
  readonly resourceType: string
  readonly responseErrorReason?: string
  readonly responseStatusCode?: number
  readonly responseHeaders?: { readonly name: string; readonly value: string }[]
}

/** What shows nothing that a judge could read. */
const UNREAD: readonly string[] = ['Image', 'Media', 'Font']

/** Why a request of a page is not sent: a script, a picture, a frame. `undefined` when it is. */
export function refusalOf(
  { request, resourceType }: Paused,
  { parties, sandboxUrl }: { parties: Parties; sandboxUrl: string },
): { readonly ending?: Ending; readonly note?: string } | undefined {
  const url = new URL(request.url)
  const endpoint = endpointOf(url, sandboxUrl)
  if (endpoint && resourceType === 'Document') {
    const problem =
      'your app opens the service in a frame, which the audit does not follow; send the window itself there'
    return { ending: { end: 'astray', url: url.href, problem } }
  }
  if (endpoint) {
    return {
      note: `a script of your app fetches ${endpoint} of the sandbox, and was kept from it: a browser has to be sent there`,
    }
  }
  const isBeyond = isWebAddress(url) && !parties.mayBeApp(url) && parties.partyOf(url, sandboxUrl) !== 'sandbox'
  if (isBeyond) {
    return {
      note: `what your pages load from ${url.origin} was not loaded: it is beyond this machine; --this-app-is-mine allows it`,
    }
  }
  return UNREAD.includes(resourceType) ? {} : undefined
}

/** The headers of a held request and others, in the shape in which it goes on. */
export const headersWith = ({ request }: Paused, others: object | undefined): { name: string; value: string }[] =>
  Object.entries({ ...request.headers, ...others }).map(([name, value]) => ({ name, value: String(value) }))
