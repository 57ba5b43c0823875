/**
 * The types of the library: input and output of the control API, inferred from its contract. The
 * package publishes the types written out, with a description of each member (`build/shapes.ts`),
 * so that projects need no zod to use them.
 */
import type * as z from 'zod'
import type { ClientSettings } from '../../sandbox/clients/client-schema.ts'
import type { Claims } from '../../service/age/claims.ts'
import type { AgeSignal, SubmittedAgeSignal } from '../../service/age/signal-schema.ts'
import type { Lifetimes } from '../../service/oidc/ports.ts'
import type { CamelCase } from '../../service/text/camel-case.ts'
import type { SettingOptions } from '../config/settings.ts'
import type { Immutable, OperationResult, Operations } from '../control/contract/contract.ts'

export type { ClientSettings } from '../../sandbox/clients/client-schema.ts'
export type { ClockState } from '../../sandbox/clock/clock.ts'
export type {
  Coverage,
  CoverageDimension,
  CoverageItem,
  CoverageSide,
} from '../../sandbox/coverage/coverage.ts'
export type { FlowStatus } from '../../sandbox/journal/explain-flow.ts'
export type { Persona } from '../../sandbox/personas/persona-schema.ts'
export type { Expectation } from '../../sandbox/queue/expectation.ts'
export type { ScenarioProgress, StepProgress } from '../../sandbox/queue/queued.ts'
export type { Claims } from '../../service/age/claims.ts'
export type { Override } from '../../service/age/filters.ts'
export type { Check, SignalTrace, ThresholdTrace } from '../../service/age/trace.ts'
export type { Lifetimes } from '../../service/oidc/ports.ts'
export type { Finding } from '../../service/oidc/rules/finding.ts'
export type { Immutable } from '../control/contract/contract.ts'
export type { RecordingName } from '../control/contract/recording-formats.ts'

type Given<Op extends keyof Operations, Part extends 'query' | 'body'> = Immutable<
  z.output<Operations[Op][Part]>
>

/** A built-in persona or one of your own. The published type lists the built-in names. */
export type KnownPersona = string
/** An outcome of the catalogue. The published type lists all names. */
export type KnownOutcome = string
export type PersonaName = string
export type OutcomeName = string

export type Flow = OperationResult<'getFlow'>
export type FlowKind = Flow['flow']
export type CallRecord = Flow['calls'][number]
export type FlowFilter = Omit<Given<'listFlows', 'query'>, 'wait' | 'since' | 'limit'>
export type FlowRecording = OperationResult<'exportFlow'>
export type Scenario = Given<'armScenario', 'body'>
export type ScenarioStep = Scenario['steps'][number]
export type EvaluationResult = OperationResult<'evaluate'>
export type TenantReadings = Pick<OperationResult<'getTenant'>, 'readings'>

export type GivenSettings = {
  readonly [Name in keyof SettingOptions]?: SettingOptions[Name] | undefined
}

export interface NextDecision extends Omit<Given<'addExpectation', 'body'>, 'flow'> {
  readonly flow?: Given<'addExpectation', 'body'>['flow'] | undefined
}

export interface Question extends Omit<Given<'evaluate', 'body'>, 'claims' | 'signals'> {
  readonly claims: Claims
  readonly signals?: readonly (AgeSignal | SubmittedAgeSignal)[] | undefined
}

type TenantBody = Given<'putTenant', 'body'>
/** Settings with one value each, by their names in the control API. */
type TenantValues = Omit<TenantBody, 'persona' | 'outcome' | 'readings' | 'clients' | 'lifetimes'>
type ValueChanges = {
  readonly [Name in keyof TenantValues as CamelCase<Name>]?: TenantValues[Name] | undefined
}

export interface TenantChange
  extends Pick<TenantBody, 'persona' | 'outcome' | 'readings'>,
    ValueChanges {
  readonly clients?: readonly ClientSettings[] | undefined
  readonly lifetimes?: { readonly [Name in keyof Lifetimes]?: number | undefined } | undefined
}
