export { ConfigError, type FileProblem } from './sandbox/files/config-error.ts'
export type { PersonaGroup } from './sandbox/personas/persona-schema.ts'
export {
  type ConnectedSandbox,
  type ConnectOptions,
  connectSandbox,
} from './server/client/connect-sandbox.ts'
export { type Evaluation, evaluate } from './server/client/evaluate.ts'
export type { ClockControl, SandboxApi } from './server/client/sandbox-api.ts'
export { SandboxError } from './server/client/sandbox-error.ts'
export type {
  CallRecord,
  Check,
  Claims,
  ClientSettings,
  ClockState,
  Coverage,
  CoverageDimension,
  CoverageItem,
  CoverageSide,
  EvaluationResult,
  Expectation,
  Finding,
  Flow,
  FlowFilter,
  FlowKind,
  FlowRecording,
  KnownOutcome,
  KnownPersona,
  Lifetimes,
  NextDecision,
  OutcomeName,
  Override,
  Persona,
  PersonaName,
  Question,
  RecordingName,
  Scenario,
  ScenarioProgress,
  ScenarioStep,
  SignalTrace,
  StepProgress,
  TenantChange,
  ThresholdTrace,
} from './server/client/shapes.ts'
export {
  type CallSummary,
  createSandbox,
  type Sandbox,
  type SandboxOptions,
} from './server/create-sandbox.ts'
export type { Method } from './service/age/methods.ts'
export type { Age, AgeSignal, SubmittedAgeSignal } from './service/age/signal-schema.ts'
export type { AssuranceLevel } from './service/age/vocabulary.ts'
export type { CallName } from './service/oidc/endpoints.ts'
