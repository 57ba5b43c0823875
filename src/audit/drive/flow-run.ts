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

export interface FlowPlan {
  readonly use: ForcedDecision
  /** For a Create flow that the app begins after Use. */
  readonly create?: ForcedDecision
  /** Queued for a later call of the app's server. */
  readonly later?: { readonly flow: 'par' | 'token' | 'upgrade'; readonly outcome: string }
  /** A fresh browser when absent. */
  readonly browser?: Browser
  /**
   * A page to open after the Use flow in the same browser, on which the app begins Create or
   * Upgrade.
   */
  readonly page?: StartPage | undefined
  /** Milliseconds to wait for calls of the app's server after its page. */
  readonly waitMs?: number | undefined
  /** The endpoint whose answer is held back from the app; the run has it as `answer`. */
  readonly holds?: VisitOptions['holds']
}

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
   * Whether the queued decision met a call of the app's server; `undefined` when none was queued.
   */
  readonly isLaterMet?: boolean | undefined
  /** Whether the browser brought an answer of this flow to the app. */
  readonly brought: Readonly<Record<'E1' | 'E3', boolean>>
  /** The request that brings the last answer to the app. */
  readonly answer?: PageRequest | undefined
}
