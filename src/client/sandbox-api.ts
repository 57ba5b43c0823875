import type { Immutable, OperationId, OperationInput, OperationResult } from '../control/contract/contract.ts'
import type { ClockState } from '../sandbox/clock/clock.ts'
import type { ClockMove } from '../sandbox/clock/clock-move.ts'
import type { Expectation, NewExpectation } from '../sandbox/decision/expectations.ts'
import type { RotationStage } from '../sandbox/keys/key-ring.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { Persona } from '../sandbox/personas/persona-schema.ts'
import type { ScenarioProgress } from '../sandbox/scenarios/armed-scenario.ts'
import { SandboxError } from './sandbox-error.ts'

/** All calls that belong together, as the journal shows them. */
export type Flow = OperationResult<'getFlow'>

/** One call of a flow. */
export type CallRecord = Flow['calls'][number]

/** Which flows to look for; `after` is the id of a flow and means flows that began after it. */
export type FlowFilter = Omit<OperationInput<'listFlows'>['query'], 'wait' | 'since' | 'limit'>

/** A scenario, as its file declares it. */
export type NewScenario = OperationInput<'armScenario'>['body']

/** Claims, and whose age signals to evaluate: give exactly one of `persona` and `signals`. */
export type Question = OperationInput<'evaluate'>['body']

/** What a persona or age signals would answer to claims, and why. */
export type EvaluationResult = OperationResult<'evaluate'>

/** A decision for a coming request. Without `flow` it is for the flow that has the outcome, Use first. */
export type NextDecision = Immutable<Omit<NewExpectation, 'flow'>> & { readonly flow?: OutcomeFlow | undefined }

/** What a tenant may have of its own; what is left out stays, null takes a default away. */
export type TenantChange = OperationInput<'putTenant'>['body']

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
  readonly expectations: { list(): Promise<Expectation[]>; clear(): Promise<void> }
  readonly scenarios: {
    /** From now on it looks at every request. */
    arm(scenario: NewScenario): Promise<ScenarioProgress>
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
    get(name: string): Promise<Persona>
    /** Adds or replaces one; dates may be relative. */
    put(persona: Persona): Promise<Persona>
    remove(name: string): Promise<void>
  }
  readonly flows: {
    /** Newest first, at most `limit` (default 50, at most 2,000), without traces. */
    list(filter?: FlowFilter & { limit?: number }): Promise<Flow[]>
    get(id: string): Promise<Flow>
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
  /** What a persona or age signals would answer to claims, and why, without a flow. */
  evaluate(question: Question): Promise<EvaluationResult>
  readonly keys: {
    /** Goes on by one stage: `publish`, `use`, `retire`. */
    rotate(stage: RotationStage): Promise<OperationResult<'rotateKeys'>>
  }
  /** Changes the tenant's own settings and leaves what is not given. */
  configure(change: TenantChange): Promise<void>
  /** Back to the declared state; clients and keys stay. */
  reset(): Promise<void>
}

/** Makes control calls, of one tenant. @throws SandboxError when a call is refused */
export interface Transport {
  /** Names the flow that ended last. It is asked for at once: not after a module is loaded. */
  lastEnded(): Promise<string>
  call<Op extends OperationId>(operationId: Op, input: OperationInput<Op>): Promise<OperationResult<Op>>
}

/** Creates the API of the tenant that `transport` reaches. */
export function createSandboxApi(
  { call, lastEnded }: Transport,
  tenant: { readonly name: string; readonly baseUrl: string },
): SandboxApi {
  const move = (change: ClockMove) => call('moveClock', { body: change })
  const awaitEnding: SandboxApi['flows']['ended'] = async ({ timeoutSeconds = 10, since, ...filter } = {}) => {
    const from = since ?? (await lastEnded())
    const { flows, last_ended: last } = await call('listFlows', {
      query: { ...filter, since: from, wait: timeoutSeconds, limit: 1 },
    })
    if (flows[0]) return get(flows[0].id)
    throw noEnding({ ...filter, timeoutSeconds, since }, last)
  }
  const get = (id: string) => call('getFlow', { params: { id } })
  const list: SandboxApi['flows']['list'] = async (filter = {}) => (await call('listFlows', { query: filter })).flows
  return {
    baseUrl: tenant.baseUrl,
    next: ({ flow, ...decision }) =>
      call('addExpectation', { body: { flow: flow ?? flowOf(decision.outcome), ...decision } }),
    expectations: {
      list: async () => (await call('listExpectations', {})).expectations,
      clear: () => call('clearExpectations', {}),
    },
    scenarios: {
      arm: (scenario) => call('armScenario', { body: scenario }),
      list: async () => (await call('listScenarios', {})).scenarios,
      get: (id, { waitSeconds, after } = {}) =>
        call('getScenario', { params: { id }, query: { wait: waitSeconds, after } }),
      remove: (id) => call('removeScenario', { params: { id } }),
      clear: () => call('clearScenarios', {}),
    },
    clock: {
      state: () => call('getClock', {}),
      advance: (seconds) => move({ advance: seconds }),
      set: (instant) => move({ set: typeof instant === 'string' ? instant : instant.toISOString() }),
      freeze: (frozen = true) => move({ freeze: frozen }),
      reset: () => move({ reset: true }),
    },
    personas: {
      list: async () => (await call('listPersonas', {})).personas,
      get: (name) => call('getPersona', { params: { name } }),
      put: (persona) => call('putPersona', { params: { name: persona.name }, body: persona }),
      remove: (name) => call('deletePersona', { params: { name } }),
    },
    flows: {
      list,
      get,
      async last(filter) {
        const [newest] = await list({ ...filter, limit: 1 })
        return newest && get(newest.id)
      },
      ended(options) {
        const ending = awaitEnding(options)
        // A test may fail before it awaits the flow: then its own error counts.
        ending.catch(() => {})
        return ending
      },
      mark: lastEnded,
    },
    evaluate: (question) => call('evaluate', { body: question }),
    keys: { rotate: (stage) => call('rotateKeys', { body: { stage } }) },
    async configure(change) {
      await call('putTenant', { params: { name: tenant.name }, body: change })
    },
    reset: () => call('reset', {}),
  }
}

function noEnding(
  { timeoutSeconds, since, ...filter }: FlowFilter & { timeoutSeconds: number; since: string | undefined },
  last: string,
): SandboxError {
  const matching = Object.keys(filter).length === 0 ? '' : ` that matches ${JSON.stringify(filter)}`
  const after = since === undefined ? 'the call' : since
  const hint =
    since !== undefined || last === 'f0'
      ? ''
      : `; ${last} had ended before: call ended() before what ends the flow, or give it since: await flows.mark()`
  const message = `no flow${matching} ended within ${timeoutSeconds} seconds after ${after}${hint}`
  return new SandboxError(message, { status: 0, error: 'timeout' })
}

function flowOf(outcome: string | undefined): OutcomeFlow {
  const flows = OUTCOMES.filter((row) => row.name === outcome).map((row) => row.flow)
  const [first = 'use'] = flows
  return flows.includes('use') ? 'use' : first
}
