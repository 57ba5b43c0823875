import type { CDPSession, Page as Window } from 'playwright-core'
import type { LoadedPage, RestingPage } from '../resting-page.ts'
import type { PendingRequests } from './pending-requests.ts'

/** Web storage of a browser. Each entry is a JSON array: origin, kind of storage, name, value. */
export interface PageStorage {
  stored: readonly string[]
  /** The entries when the sandbox answered. */
  storedBeforeAnswer: readonly string[]
}

/** A page for a tab. */
export interface TabPage extends LoadedPage {
  /**
   * The storage of the browser. If the object differs from the last page's, the tab restores it.
   */
  readonly storage: PageStorage
  /** URLs that scripts requested by GET. The tab adds to this set. */
  readonly asked: Set<string>
}

/** The next request of a page, or the end of the visit. */
export type Lead = Pick<RestingPage, 'onward' | 'ending'>

export interface TabState {
  readonly window: Window
  readonly session: CDPSession
  /** The id of the top frame. */
  readonly frameId: string
  readonly requests: PendingRequests
  /** What the tab did not load or follow, one line each, for the report. */
  readonly notes: Set<string>
  /** The current page; `undefined` between two visits. */
  shown: TabPage | undefined
  /** The URL of `shown`; `undefined` once Chromium has requested it. */
  awaitedUrl: string | undefined
  /** Whether another visit can use the tab. */
  isUsable: boolean
  /** Called when the page makes its next request or ends the visit. */
  lead(to: Lead): void
}
