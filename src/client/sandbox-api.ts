import type { ThresholdTrace } from '../age/trace.ts'
import type { ClockState } from '../sandbox/clock/clock.ts'
import type { ClockMove } from '../sandbox/clock/clock-move.ts'
import type { Expectation, NewExpectation } from '../sandbox/decision/expectations.ts'
import type { Flow, FlowFilter } from '../sandbox/journal/journal.ts'
import type { RotationStage } from '../sandbox/keys/key-ring.ts'
import { OUTCOMES } from '../sandbox/outcomes/catalogue.ts'
import type { OutcomeFlow } from '../sandbox/outcomes/outcome.ts'
import type { Persona } from '../sandbox/personas/persona-schema.ts'
import type { ScenarioProgress } from '../sandbox/scenarios/armed-scenario.ts'
import type { Scenario } from '../sandbox/scenarios/scenario-schema.ts'
import type { Transport } from './transport.ts'

/** What a persona or age signals would answer to claims, and why. */
export interface EvaluationResult {
  readonly age_thresholds: Readonly<Record<string, boolean>>
  readonly trace: readonly ThresholdTrace[]
}

/** A decision for a coming request. Without `flow` it is for the flow that has the outcome, Use first. */
export type NextDecision = Omit<NewExpectation, 'flow'> & { readonly flow?: OutcomeFlow | undefined }

/** What a tenant may have of its own; what is left out stays, null takes a default away. */
export interface TenantChange {
  readonly persona?: string | null
  readonly outcome?: string | null
  readonly clients?: readonly {
    readonly client_id: string
    readonly client_secret: string
    readonly redirect_uris: readonly string[]
    readonly name?: string
    readonly persona?: string
  }[]
  /** In seconds. */
  readonly lifetimes?: {
    readonly request_uri?: number
    readonly code?: number
    readonly id_token?: number
    readonly access_token?: number
  }
}

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

/** How one tenant is driven: the same in the process and over HTTP. Every call rejects with a `SandboxError` when it is refused. */
export interface Surface {
  readonly baseUrl: string
  /** Queues a decision for a coming request: first in, first out. */
  next(decision: NextDecision): Promise<Expectation>
  readonly expectations: { list(): Promise<Expectation[]>; clear(): Promise<void> }
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
    get(name: string): Promise<Persona>
    /** Adds or replaces one; dates may be relative. */
    put(persona: Persona): Promise<Persona>
    remove(name: string): Promise<void>
  }
  readonly flows: {
    /** Newest first. */
    list(filter?: FlowFilter): Promise<Flow[]>
    get(id: string): Promise<Flow>
    /** The newest flow that matches. */
    last(filter?: FlowFilter): Promise<Flow | undefined>
    /** The newest ended flow that matches, as soon as there is one; rejects after `timeoutSeconds` (default 10, at most 60). */
    ended(filter?: FlowFilter & { timeoutSeconds?: number }): Promise<Flow>
  }
  evaluate(question: { claims: unknown; persona?: string; signals?: unknown; now?: string }): Promise<EvaluationResult>
  readonly keys: { rotate(stage: RotationStage): Promise<{ signing: string; published: string[] }> }
  /** Changes the tenant's own settings and leaves what is not given. */
  configure(change: TenantChange): Promise<void>
  /** Back to the declared state; clients and keys stay. */
  reset(): Promise<void>
}

/** The surface of the tenant that `transport` reaches. */
export function createSurface(
  transport: Transport,
  tenant: { readonly name: string; readonly baseUrl: string },
): Surface {
  const { call } = transport
  const move = (change: ClockMove) => call<ClockState>('moveClock', { body: change })
  const list = async (filter: FlowFilter = {}) =>
    (await call<{ flows: Flow[] }>('listFlows', { query: { ...filter } })).flows
  return {
    baseUrl: tenant.baseUrl,
    next: ({ flow, ...decision }) =>
      call('addExpectation', { body: { flow: flow ?? flowOf(decision.outcome), ...decision } }),
    expectations: {
      list: async () => (await call<{ expectations: Expectation[] }>('listExpectations')).expectations,
      clear: () => call('clearExpectations'),
    },
    scenarios: {
      arm: (scenario) => call('armScenario', { body: scenario }),
      list: async () => (await call<{ scenarios: ScenarioProgress[] }>('listScenarios')).scenarios,
      get: (id, { waitSeconds, after } = {}) =>
        call('getScenario', { params: { id }, query: { wait: waitSeconds?.toString(), after: after?.toString() } }),
      remove: (id) => call('removeScenario', { params: { id } }),
      clear: () => call('clearScenarios'),
    },
    clock: {
      state: () => call('getClock'),
      advance: (seconds) => move({ advance: seconds }),
      set: (instant) => move({ set: typeof instant === 'string' ? instant : instant.toISOString() }),
      freeze: (frozen = true) => move({ freeze: frozen }),
      reset: () => move({ reset: true }),
    },
    personas: {
      list: async () => (await call<{ personas: Persona[] }>('listPersonas')).personas,
      get: (name) => call('getPersona', { params: { name } }),
      put: (persona) => call('putPersona', { params: { name: persona.name }, body: persona }),
      remove: (name) => call('deletePersona', { params: { name } }),
    },
    flows: {
      list,
      get: (id) => call('getFlow', { params: { id } }),
      last: async (filter) => (await list(filter))[0],
      async ended({ timeoutSeconds = 10, ...filter } = {}) {
        const query = { ...filter, wait: String(timeoutSeconds) }
        const { flows } = await call<{ flows: Flow[] }>('listFlows', { query })
        if (flows[0]) return flows[0]
        throw new Error(`no flow that matches ${JSON.stringify(filter)} ended within ${timeoutSeconds} seconds`)
      },
    },
    evaluate: (question) => call('evaluate', { body: question }),
    keys: { rotate: (stage) => call('rotateKeys', { body: { stage } }) },
    async configure(change) {
      await call('putTenant', { params: { name: tenant.name }, body: change })
    },
    reset: () => call('reset'),
  }
}

function flowOf(outcome: string | undefined): OutcomeFlow {
  const flows = OUTCOMES.filter((row) => row.name === outcome).map((row) => row.flow)
  const [first = 'use'] = flows
  return flows.includes('use') ? 'use' : first
}
