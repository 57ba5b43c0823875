import type { CDPSession, Page as Window } from 'playwright-core'
import type { LoadedPage, RestingPage } from '../resting-page.ts'
import type { PendingRequests } from './pending-requests.ts'

/** Entries of the storage of pages, each a JSON array of origin, storage, name and value. */
export interface PageStorage {
  stored: readonly string[]
  /** The entries when the sandbox answered. */
  storedBeforeAnswer: readonly string[]
}

/** A page for a tab. */
export interface TabPage extends LoadedPage {
  /** The storage of one browser. Another object means that the tab must restore the storage. */
  readonly storage: PageStorage
  /** URLs that scripts request by GET; the tab adds them. */
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
  /** Lines for the report about what the tab did not load or follow. */
  readonly notes: Set<string>
  /** The current page; `undefined` between two visits. */
  shown: TabPage | undefined
  /** The URL of `shown` until Chromium has requested it. */
  awaitedUrl: string | undefined
  /** Whether another visit can use the tab. */
  isUsable: boolean
  /** Called when the page leads on, or ends the visit. */
  lead(to: Lead): void
}
