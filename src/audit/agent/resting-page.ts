import type { HttpAnswer } from '../../server/client/exchange.ts'
import type { BrowserVisit, ShownPage, VisitOptions } from './browser.ts'
import type { Way } from './choose-way.ts'
import type { Cookies } from './cookies.ts'
import type { Onward, RequestWay } from './onward.ts'
import type { Parties } from './parties.ts'

/** A page that the HTTP agent has loaded, as input for an agent that runs scripts. */
export interface LoadedPage extends Pick<VisitOptions, 'sandboxUrl' | 'signal' | 'begin'> {
  readonly page: ShownPage
  readonly headers: HttpAnswer['headers']
  /** The cookies of the app. */
  readonly cookies: Cookies
  readonly parties: Parties
  /** Whether the sandbox has answered in this visit, at this page or earlier. */
  readonly answered: boolean
  /** Whether the request for this page carried the answer. */
  readonly isCallback: boolean
}

/** A page at rest: it no longer changes or loads. */
export interface RestingPage {
  readonly page: ShownPage
  /** The request that the page makes without its user. */
  readonly onward?: Onward | undefined
  /** Elements that the user can press. */
  readonly ways: readonly (RequestWay | ScriptWay)[]
  /** Names of the cookies that scripts of the page set. */
  readonly cookies?: readonly string[]
  /** How the page ends the visit; absent if the visit can continue. */
  readonly ending?: Pick<BrowserVisit, 'end' | 'problem'> | undefined
}

/** An element in a browser with scripts. */
type ScriptWay = Way & {
  /** Presses the element. @returns the page when it is at rest again */
  press(): Promise<RestingPage>
}
