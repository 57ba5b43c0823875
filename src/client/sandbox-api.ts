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

/** The clock of one tenant; every lifetime and every age is judged by it. */
export interface ClockControl {
  state(): Promise<ClockState>
  /** Lets `seconds` pass. */
  advance(seconds: number): Promise<ClockState>
  /** Moves now, and the base of relative dates, to an instant: a Date or ISO 8601. */
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
    /** From now on it looks at every request. */
    arm(scenario: Scenario): Promise<ScenarioProgress>
    list(): Promise<ScenarioProgress[]>
    /** How far it has come; with `waitSeconds` (at most 60) as soon as it has come further than `after`, a revision. */
    get(id: string, options?: { waitSeconds?: number; after?: number }): Promise<ScenarioProgress>
    remove(id: string): Promise<void>
    clear(): Promise<void>
  }
  readonly clock: ClockControl
  readonly personas: {
    /** With dates resolved. */
    list(): Promise<Persona[]>
    get(name: KnownPersona): Promise<Persona>
    /** Adds or replaces one; dates may be relative. */
    put(persona: Persona): Promise<Persona>
    /** Adds or replaces up to 100, all of them or none; gives them back with dates resolved. */
    putAll(personas: readonly Persona[]): Promise<Persona[]>
    remove(name: KnownPersona): Promise<void>
  }
  readonly flows: {
    /** Newest first, at most `limit` (default 50, at most 2,000), without traces. */
    list(filter?: FlowFilter & { limit?: number }): Promise<Flow[]>
    get(id: string): Promise<Flow>
    /** A flow as a file to take along: a scenario, a test, a HAR. @throws SandboxError 409 when a format has no place for any of its calls */
    export(id: string, as: RecordingName): Promise<FlowRecording>
    /** The newest flow that matches. */
    last(filter?: FlowFilter): Promise<Flow | undefined>
    /**
     * The first flow that matches and ends after this call or, with `since`, after that flow did: the id of one that has ended,
     * or what `mark` gave. Rejects after `timeoutSeconds` (default 10, at most 60).
     */
    ended(filter?: FlowFilter & { since?: string; timeoutSeconds?: number }): Promise<Flow>
    /** The present, as a `since` for `ended`: the id of the flow that ended last, `f0` when none has. */
    mark(): Promise<string>
  }
  /** What was delivered to clients: of the root tenant by the whole process, of another one to its own clients. */
  readonly coverage: {
    get(): Promise<Coverage>
    /** Sets every count to 0. */
    clear(): Promise<void>
    /** From now on what is delivered is listed under this test; without a name under none. */
    name(test: string | undefined): Promise<void>
  }
  /** What a persona or age signals would answer to claims, and why, without a flow. */
  evaluate(question: Question): Promise<EvaluationResult>
  readonly keys: {
    /** Goes on by one stage: `publish`, `use`, `retire`. */
    rotate(stage: RotationStage): Promise<{ signing: string; published: string[] }>
  }
  /** Changes the tenant's own settings and leaves what is not given. @throws ConfigError for an unknown member */
  configure(change: TenantChange): Promise<void>
  /** The readings that the tenant has now, without those that are as usual. */
  readings(): Promise<TenantReadings>
  /** Back to the declared state, rotated keys too; clients stay. */
  reset(): Promise<void>
}
