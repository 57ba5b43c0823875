export type { AssuranceLevel } from './age/assurance.ts'
export type { Method } from './age/methods.ts'
export type { Age, AgeSignal, SubmittedAgeSignal } from './age/signal-schema.ts'
export { type ConnectedSandbox, type ConnectOptions, connectSandbox } from './client/connect-sandbox.ts'
export { type Evaluation, evaluate } from './client/evaluate.ts'
export type { ClockControl, SandboxApi } from './client/sandbox-api.ts'
export { SandboxError } from './client/sandbox-error.ts'
export type {
  Check,
  Claims,
  EvaluationResult,
  Override,
  Question,
  SignalTrace,
  ThresholdTrace,
} from './client/shapes/claims.ts'
export type {
  ClaimsCounters,
  Coverage,
  CoverageDimension,
  CoverageItem,
  CoverageSide,
  Hits,
} from './client/shapes/coverage.ts'
export type {
  Expectation,
  NextDecision,
  Persona,
  Scenario,
  ScenarioProgress,
  ScenarioStep,
  StepProgress,
} from './client/shapes/decision.ts'
export type {
  CallRecord,
  Finding,
  Flow,
  FlowFilter,
  FlowKind,
  FlowRecording,
  RecordingName,
} from './client/shapes/flow.ts'
export type { KnownOutcome, KnownPersona, OutcomeName, PersonaName } from './client/shapes/names.ts'
export type { ClientSettings, ClockState, Lifetimes, TenantChange } from './client/shapes/settings.ts'
export { ConfigError, type FileProblem } from './files/config-error.ts'
export type { OutcomeFlow } from './sandbox/outcomes/outcome.ts'
export type { PersonaGroup } from './sandbox/personas/persona-schema.ts'
export { type CallSummary, createSandbox, type Sandbox, type SandboxOptions } from './server/create-sandbox.ts'
