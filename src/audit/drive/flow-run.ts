import type {
  AuthorizationRequest,
  Browser,
  BrowserVisit,
  ForcedDecision,
  PageRequest,
  StartPage,
  VisitOptions,
} from '../agent/browser.ts'
import type { Observation } from './observation.ts'

/** What happens to the app in one run. */
export interface FlowPlan {
  /** The decision for the Use request. */
  readonly use: ForcedDecision
  /** The decision for a Create flow that the app begins after Use. */
  readonly create?: ForcedDecision
  /** The decision to queue for a later call of the app's server. */
  readonly later?: { readonly flow: 'par' | 'token' | 'upgrade'; readonly outcome: string }
  /** The browser to use (default: a fresh browser). */
  readonly browser?: Browser
  /**
   * A page to open in the same browser after Use. The app begins Create or Upgrade there.
   */
  readonly page?: StartPage | undefined
  /** Milliseconds to wait, after the last page, for calls of the app's server. */
  readonly waitMs?: number | undefined
  /** The endpoint whose answer is held back from the app; the run has it as `answer`. */
  readonly holds?: VisitOptions['holds']
}

/** What happened in one run. */
export interface FlowRun {
  readonly browser: Browser
  readonly visit: BrowserVisit
  readonly observation: Observation
  readonly request?: AuthorizationRequest | undefined
  /** Ids of flows in the journal. */
  readonly useFlow?: string | undefined
  readonly createFlow?: string | undefined
  readonly reachesCreate: boolean
  /**
   * Whether the queued decision decided a call of the app's server; `undefined` without a queued
   * decision.
   */
  readonly isLaterMet?: boolean | undefined
  /** Whether the browser brought an answer of this flow to the app. */
  readonly brought: Readonly<Record<'E1' | 'E3', boolean>>
  /** The request that brings the last answer to the app. */
  readonly answer?: PageRequest | undefined
}
