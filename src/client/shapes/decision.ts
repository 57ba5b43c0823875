import type { AgeSignal } from '../../age/signal-schema.ts'
import type { OutcomeFlow } from '../../sandbox/outcomes/outcome.ts'
import type { PersonaGroup } from '../../sandbox/personas/persona-schema.ts'
import type { KnownOutcome, KnownPersona } from './names.ts'

/** A test user, as a persona file declares it. Dates may be relative: `today - 18y + 1d`, `now - 30d`. */
export interface Persona {
  /** 1 to 63 lowercase letters, digits and hyphens. */
  name: string
  /** What the choice page shows. */
  title: string
  /** What the persona is for. */
  purpose: string
  /** The heading on the choice page; `Own` when left out. */
  group?: PersonaGroup | undefined
  /** What the persona holds; left out, it has no age key. */
  age_key?: { signals: AgeSignal[] } | undefined
}

/** A decision for a coming request. */
export interface NextDecision {
  /** The flow that has the outcome, Use first, when left out. */
  readonly flow?: OutcomeFlow | undefined
  readonly persona?: KnownPersona | undefined
  readonly outcome?: KnownOutcome | undefined
  /** The request must say the same; in Create `state` is the pushed one. */
  readonly match?:
    | {
        readonly client_id?: string | undefined
        readonly state?: string | undefined
        readonly nonce?: string | undefined
      }
    | undefined
  /** How many requests it decides; 1 when absent. For `discovery` and `jwks` every read until a flow has ended counts as one. */
  readonly times?: number | undefined
  /** Marks the flow that it decides as one of an audit, which changes no persona. */
  readonly audit?: true | undefined
}

/** A decision that is queued. */
export interface Expectation {
  id: string
  flow: OutcomeFlow
  persona?: string | undefined
  outcome?: string | undefined
  match?: { client_id?: string | undefined; state?: string | undefined; nonce?: string | undefined } | undefined
  audit?: true | undefined
  times: number
  remaining: number
  /** Of `discovery` and `jwks`, once a read has met it: the flow that had ended last then. It holds until another one ends. */
  held_since?: string | undefined
}

/** A scenario, as its file declares it: what users do, in order, and what the relying party must send. */
export interface Scenario {
  /** What it is called in reports. */
  readonly name: string
  /** A client_id: only the requests of this client count. */
  readonly client?: string | undefined
  /** Personas that it brings: they are put when it is armed. */
  readonly personas?: readonly Persona[] | undefined
  readonly steps: readonly ScenarioStep[]
}

/** Exactly one of `decide`, `await` and `clock`. */
export interface ScenarioStep {
  /** Decides the next request of a flow. */
  readonly decide?:
    | {
        readonly flow: OutcomeFlow
        readonly persona?: KnownPersona | undefined
        readonly outcome?: KnownOutcome | undefined
      }
    | undefined
  /** Waits until the relying party has made this call with success. */
  readonly await?: 'par' | 'token' | 'upgrade' | 'discovery' | 'jwks' | undefined
  /** Moves the clock, at once; in the order reset, set, freeze, advance. */
  readonly clock?:
    | {
        readonly reset?: true | undefined
        readonly set?: string | undefined
        readonly freeze?: boolean | undefined
        readonly advance?: number | undefined
      }
    | undefined
  /** A part of what the relying party must have sent; claims and authorization_details are read as JSON. */
  readonly expect?: Readonly<Record<string, unknown>> | undefined
}

/** How far a scenario has come. */
export interface ScenarioProgress {
  id: string
  name: string
  client?: string | undefined
  status: 'running' | 'passed' | 'failed'
  /** Counts its changes. */
  revision: number
  steps: StepProgress[]
}

export interface StepProgress {
  /** From 0. */
  index: number
  kind: 'decide' | 'await' | 'clock'
  /** The step in words: `use as teen-16: access_denied`. */
  summary: string
  status: 'waiting' | 'current' | 'passed' | 'failed'
  /** Why it failed or, while it is current, what came that did not meet it. */
  detail?: string | undefined
  /** What was expected and what came, as short JSON texts; only of a step that failed by its `expect`. */
  mismatches?: { path: string; expected: string; came: string }[] | undefined
}
