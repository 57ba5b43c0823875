export type { Claims } from './age/claims.ts'
export { type Evaluation, evaluate } from './age/evaluate.ts'
export type { Age, AgeSignal } from './age/signal.ts'
export type { Check, SignalTrace, ThresholdTrace } from './age/trace.ts'
export { type ConnectedSandbox, connectSandbox } from './client/connect-sandbox.ts'
export type {
  CallRecord,
  ClockControl,
  EvaluationResult,
  Flow,
  FlowFilter,
  NewScenario,
  NextDecision,
  Question,
  SandboxApi,
  TenantChange,
} from './client/sandbox-api.ts'
export { SandboxError } from './client/sandbox-error.ts'
export type { ClockState } from './sandbox/clock/clock.ts'
export type { Expectation } from './sandbox/decision/expectations.ts'
export type { Persona } from './sandbox/personas/persona-schema.ts'
export type { ScenarioProgress } from './sandbox/scenarios/armed-scenario.ts'
export { type CallSummary, createSandbox, type Sandbox, type SandboxOptions } from './server/create-sandbox.ts'
