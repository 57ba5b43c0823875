import type { Claims as ParsedClaims } from '../../../src/age/claims.ts'
import type { ThresholdTrace as FoundTrace } from '../../../src/age/trace.ts'
import type { AuditReport } from '../../../src/client/shapes/audit.ts'
import type { Claims, EvaluationResult, Question, ThresholdTrace } from '../../../src/client/shapes/claims.ts'
import type { Coverage } from '../../../src/client/shapes/coverage.ts'
import type {
  Expectation,
  NextDecision,
  Persona,
  Scenario,
  ScenarioProgress,
} from '../../../src/client/shapes/decision.ts'
import type { Flow, FlowFilter } from '../../../src/client/shapes/flow.ts'
import type { ClientSettings, ClockState, Lifetimes } from '../../../src/client/shapes/settings.ts'
import type { SettingOptions } from '../../../src/config/settings.ts'
import type { Immutable, OperationInput, OperationResult } from '../../../src/control/contract/contract.ts'
import type { Lifetimes as KnownLifetimes } from '../../../src/oidc/ports.ts'
import type { ClientSettings as DeclaredClient } from '../../../src/sandbox/clients/client-schema.ts'
import type { AuditReport as JudgedReport } from '../../../src/sandbox/outcomes/audit-report.ts'
import type { OutcomeFlow } from '../../../src/sandbox/outcomes/outcome.ts'
import type { SandboxOptions } from '../../../src/server/sandbox-options.ts'

/** The names of all members of a type, those of members included: `calls.findings.rule`. */
type Members<T> = T extends string
  ? never
  : T extends readonly (infer Item)[]
    ? Members<Item>
    : T extends object
      ? { [Name in keyof T & string]-?: Name | `${Name}.${Members<T[Name]>}` }[keyof T & string]
      : never

type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false

/** With all of its members. */
type Given<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> }

/** A type that takes what another type gives, and has the members that the other type has. */
type Takes<Taker, Giver> =
  Same<Members<Taker>, Members<Giver>> extends true
    ? Giver extends Taker
      ? true
      : 'a value does not fit'
    : ['members differ', Exclude<Members<Taker>, Members<Giver>>, Exclude<Members<Giver>, Members<Taker>>]

type IsResult<Published, Schema> = Takes<Published, Schema>
type IsInput<Published, Schema> = Takes<Schema, Published>

/** The types that the package publishes say what the schemas say: `npm run types` checks it, there is nothing to run. */
export const RESULTS: [
  IsResult<Flow, OperationResult<'getFlow'>>,
  IsResult<EvaluationResult, OperationResult<'evaluate'>>,
  IsResult<Expectation, OperationResult<'addExpectation'>>,
  IsResult<ScenarioProgress, OperationResult<'getScenario'>>,
  IsResult<Persona, OperationResult<'getPersona'>>,
  IsResult<ClockState, OperationResult<'getClock'>>,
  IsResult<ThresholdTrace, FoundTrace>,
  IsResult<Coverage, OperationResult<'getCoverage'>>,
] = [true, true, true, true, true, true, true, true]

export const INPUTS: [
  IsInput<Claims, Immutable<ParsedClaims>>,
  IsInput<FlowFilter, Omit<OperationInput<'listFlows'>['query'], 'wait' | 'since' | 'limit'>>,
  IsInput<NextDecision & { flow: OutcomeFlow }, OperationInput<'addExpectation'>['body']>,
  // Personas are compared by themselves, as the results of getPersona.
  IsInput<Omit<Scenario, 'personas'>, Omit<OperationInput<'armScenario'>['body'], 'personas'>>,
  IsInput<keyof Question, keyof OperationInput<'evaluate'>['body']>,
  IsInput<ClientSettings, DeclaredClient>,
  IsInput<Lifetimes, KnownLifetimes>,
  IsInput<Given<Omit<SandboxOptions, 'onCall' | 'onError' | 'onWarning' | 'lastAudit'>>, Given<SettingOptions>>,
] = [true, true, true, true, true, true, true, true]

/** A report has more members than are published: what is only for files. */
export const REPORT: JudgedReport extends AuditReport ? true : 'a report of the schema does not fit' = true
