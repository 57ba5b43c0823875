import type { RotationStage } from '../sandbox/keys/key-ring.ts'
import type {
  ClockState,
  Coverage,
  EvaluationResult,
  Expectation,
  Flow,
  FlowFilter,
  FlowRecording,
  KnownPersona,
  NextDecision,
  Persona,
  Question,
  RecordingName,
  Scenario,
  ScenarioProgress,
  TenantChange,
  TenantReadings,
} from './shapes.ts'

/** The clock of one tenant; it decides all lifetimes and ages. */
export interface ClockControl {
  state(): Promise<ClockState>
  /** Lets `seconds` pass. */
  advance(seconds: number): Promise<ClockState>
  /** Moves the present, and the base of relative dates, to an instant: a Date or ISO 8601. */
  set(instant: Date | string): Promise<ClockState>
  /** Stops the clock, or with `false` lets it run. */
  freeze(frozen?: boolean): Promise<ClockState>
  /** Back to real time, running. */
  reset(): Promise<ClockState>
}

/** Drives one tenant: the same in the process and over HTTP. A refused call rejects with a `SandboxError`. */
export interface SandboxApi {
  readonly baseUrl: string
  /** Queues a decision for a coming request: first in, first out. */
  next(decision: NextDecision): Promise<Expectation>
  readonly expectations: { list(): Promise<Expectation[]>; remove(id: string): Promise<void>; clear(): Promise<void> }
  readonly scenarios: {
    /** Arms a scenario: from now on it is matched with every request. */
    arm(scenario: Scenario): Promise<ScenarioProgress>
    list(): Promise<ScenarioProgress[]>
    /** The progress of a scenario. With `waitSeconds` (at most 60) the call waits until the progress has passed the revision `after`. */
    get(id: string, options?: { waitSeconds?: number; after?: number }): Promise<ScenarioProgress>
    remove(id: string): Promise<void>
    clear(): Promise<void>
  }
  readonly clock: ClockControl
  readonly personas: {
    /** The personas, with dates resolved. */
    list(): Promise<Persona[]>
    get(name: KnownPersona): Promise<Persona>
    /** Adds or replaces a persona; its dates may be relative. */
    put(persona: Persona): Promise<Persona>
    /** Adds or replaces up to 100 personas, all or none; returns them with dates resolved. */
    putAll(personas: readonly Persona[]): Promise<Persona[]>
    remove(name: KnownPersona): Promise<void>
  }
  readonly flows: {
    /** Flows without traces, newest first, at most `limit` (default 50, at most 2,000). */
    list(filter?: FlowFilter & { limit?: number }): Promise<Flow[]>
    get(id: string): Promise<Flow>
    /** A flow as a file: a scenario, a test, a HAR. @throws SandboxError 409 when the format can express none of its calls */
    export(id: string, as: RecordingName): Promise<FlowRecording>
    /** The newest flow that matches. */
    last(filter?: FlowFilter): Promise<Flow | undefined>
    /**
     * The first matching flow that ends after this call. With `since`, the first that ended after that flow did: an id of an ended flow,
     * or the result of `mark`. Rejects after `timeoutSeconds` (default 10, at most 60).
     */
    ended(filter?: FlowFilter & { since?: string; timeoutSeconds?: number }): Promise<Flow>
    /** The present, as a `since` for `ended`: the id of the flow that ended last, or `f0`. */
    mark(): Promise<string>
  }
  /** What was delivered to clients: for the root tenant by the whole process, for another tenant to its own clients. */
  readonly coverage: {
    get(): Promise<Coverage>
    /** Sets every count to 0. */
    clear(): Promise<void>
    /** Lists coming deliveries under this test; without a name under none. */
    name(test: string | undefined): Promise<void>
  }
  /** The answers of a persona or of age signals to claims, with reasons, without a flow. */
  evaluate(question: Question): Promise<EvaluationResult>
  readonly keys: {
    /** Moves the rotation by one stage: `publish`, `use`, `retire`. */
    rotate(stage: RotationStage): Promise<{ signing: string; published: string[] }>
  }
  /** Changes the given settings of the tenant. @throws ConfigError for an unknown member */
  configure(change: TenantChange): Promise<void>
  /** The readings of the tenant that differ from the defaults. */
  readings(): Promise<TenantReadings>
  /** Restores the declared state, including rotated keys; clients stay. */
  reset(): Promise<void>
}
