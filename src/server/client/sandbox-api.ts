import type { ClockMove } from '../../sandbox/clock/clock.ts'
import type { RotationStage } from '../../sandbox/keys/key-ring.ts'
import { OUTCOMES } from '../../sandbox/outcomes/catalogue.ts'
import type { CallName } from '../../service/oidc/endpoints.ts'
import { snakeCased } from '../../service/text/camel-case.ts'
import { checkTenantChange } from '../config/option-check.ts'
import type { OperationId, OperationInput, OperationResult } from '../control/contract/contract.ts'
import { SandboxError } from './sandbox-error.ts'
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
/** The clock of one tenant. It decides all lifetimes and ages. */
export interface ClockControl {
  state(): Promise<ClockState>
  /** Lets `seconds` pass. */
  advance(seconds: number): Promise<ClockState>
  /** Sets the current time, and the base of relative dates, to a Date or an ISO 8601 instant. */
  set(instant: Date | string): Promise<ClockState>
  /** Stops the clock; `false` starts it again. */
  freeze(frozen?: boolean): Promise<ClockState>
  /** Sets the clock to real time and starts it. */
  reset(): Promise<ClockState>
}

/**
 * Drives one tenant, in the same process or over HTTP. A refused call rejects with a
 * `SandboxError`.
 */
export interface SandboxApi {
  readonly baseUrl: string
  /** Queues a decision for a coming request. Decisions are used first in, first out. */
  next(decision: NextDecision): Promise<Expectation>
  readonly expectations: {
    list(): Promise<Expectation[]>
    remove(id: string): Promise<void>
    clear(): Promise<void>
  }
  readonly scenarios: {
    /** Arms a scenario: from now on it is matched against every request. */
    arm(scenario: Scenario): Promise<ScenarioProgress>
    list(): Promise<ScenarioProgress[]>
    /**
     * The progress of a scenario. With `waitSeconds` (at most 60) the call waits until the revision
     * of the scenario is greater than `after` (default: the current one).
     */
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
    /** Flows without traces, newest first. `limit` is 50 by default, at most 2,000. */
    list(filter?: FlowFilter & { limit?: number }): Promise<Flow[]>
    get(id: string): Promise<Flow>
    /**
     * Exports a flow as a file: a scenario, a test, a HAR.
     * @throws SandboxError 409 when the format can express none of the flow's calls
     */
    export(id: string, as: RecordingName): Promise<FlowRecording>
    /** The newest flow that matches. */
    last(filter?: FlowFilter): Promise<Flow | undefined>
    /**
     * Waits for the first matching flow that ends after this call. With `since` (the id of an ended
     * flow, or the result of `mark`) it is the first flow that ended after that one. Rejects after
     * `timeoutSeconds` (default 10, at most 60).
     */
    ended(filter?: FlowFilter & { since?: string; timeoutSeconds?: number }): Promise<Flow>
    /** The `since` for a later `ended`: the id of the flow that ended last, or `f0`. */
    mark(): Promise<string>
  }
  /**
   * What clients have received: for the root tenant the clients of all tenants, for another tenant
   * its own clients.
   */
  readonly coverage: {
    get(): Promise<Coverage>
    /** Clears the coverage. */
    clear(): Promise<void>
  }
  /** Evaluates a persona or age signals against claims, with reasons, without a flow. */
  evaluate(question: Question): Promise<EvaluationResult>
  readonly keys: {
    /** Moves the rotation by one stage: `publish`, `use`, `retire`. */
    rotate(stage: RotationStage): Promise<{ signing: string; published: string[] }>
  }
  /**
   * Changes the given settings of the tenant.
   * @throws ConfigError for an unknown member
   */
  configure(change: TenantChange): Promise<void>
  /** The readings of the tenant that differ from the defaults. */
  readings(): Promise<TenantReadings>
  /** Restores the declared state, including rotated keys. Clients stay. */
  reset(): Promise<void>
}

/**
 * Sends the control calls of one tenant.
 * @throws SandboxError when a call is refused
 */
export interface Transport {
  /**
   * Finds the flow that ended last. The request is sent before the function returns, not after a
   * module is loaded.
   */
  lastEnded(): Promise<string>
  call<Op extends OperationId>(
    operationId: Op,
    input: OperationInput<Op>,
  ): Promise<OperationResult<Op>>
}

/** Creates the API of one tenant from its transport. */
export function createSandboxApi(
  { call, lastEnded }: Transport,
  tenant: { readonly name: string; readonly baseUrl: string },
): SandboxApi {
  const move = (change: ClockMove) => call('moveClock', { body: change })
  const awaitEnding: SandboxApi['flows']['ended'] = async ({
    timeoutSeconds = 10,
    since,
    ...filter
  } = {}) => {
    const from = since ?? (await lastEnded())
    const { flows, last_ended: last } = await call('listFlows', {
      query: { ...filter, since: from, wait: timeoutSeconds, limit: 1 },
    })
    if (flows[0]) return get(flows[0].id)
    throw noEnding({ ...filter, timeoutSeconds, since }, last)
  }
  const get = (id: string) => call('getFlow', { params: { id }, query: {} })
  const list: SandboxApi['flows']['list'] = ({ limit = 50, ...filter } = {}) =>
    everyItem(
      'flows',
      (last, wanted) =>
        call('listFlows', { query: { ...filter, before: last ?? filter.before, limit: wanted } }),
      limit,
    )
  return {
    baseUrl: tenant.baseUrl,
    next: async ({ flow, ...decision }) =>
      call('addExpectation', { body: { flow: flow ?? flowOf(decision.outcome), ...decision } }),
    expectations: {
      list: () =>
        everyItem('expectations', (after) => call('listExpectations', { query: { after } })),
      remove: (id) => call('removeExpectation', { params: { id } }),
      clear: () => call('clearExpectations', {}),
    },
    scenarios: {
      arm: (scenario) => call('armScenario', { body: scenario }),
      list: () => everyItem('scenarios', (after) => call('listScenarios', { query: { after } })),
      get: (id, { waitSeconds, after } = {}) =>
        quietly(call('getScenario', { params: { id }, query: { wait: waitSeconds, after } })),
      remove: (id) => call('removeScenario', { params: { id } }),
      clear: () => call('clearScenarios', {}),
    },
    clock: {
      state: () => call('getClock', {}),
      advance: (seconds) => move({ advance: seconds }),
      set: async (instant) =>
        move({ set: typeof instant === 'string' ? instant : instant.toISOString() }),
      freeze: (frozen = true) => move({ freeze: frozen }),
      reset: () => move({ reset: true }),
    },
    personas: {
      list: () => everyItem('personas', (after) => call('listPersonas', { query: { after } })),
      get: (name) => call('getPersona', { params: { name } }),
      put: async (persona) => call('putPersona', { params: { name: persona.name }, body: persona }),
      putAll: async (personas) => (await call('putPersonas', { body: { personas } })).personas,
      remove: (name) => call('deletePersona', { params: { name } }),
    },
    flows: {
      list,
      get,
      export: (id, as) => call('exportFlow', { params: { id, as } }),
      async last(filter) {
        const [newest] = await list({ ...filter, limit: 1 })
        return newest && get(newest.id)
      },
      ended: (options) => quietly(awaitEnding(options)),
      mark: lastEnded,
    },
    coverage: {
      get: () => call('getCoverage', {}),
      clear: () => call('clearCoverage', {}),
    },
    evaluate: (question) => call('evaluate', { body: question }),
    keys: { rotate: (stage) => call('rotateKeys', { body: { stage } }) },
    async configure(change) {
      checkTenantChange(change)
      const { clients, lifetimes, ...others } = change
      const body = {
        ...snakeCased(others),
        ...(clients && { clients: clients.map(snakeCased) }),
        ...(lifetimes && { lifetimes: snakeCased(lifetimes) }),
      }
      await call('putTenant', { params: { name: tenant.name }, body })
    },
    async readings() {
      const { readings } = await call('getTenant', { params: { name: tenant.name } })
      return { readings }
    },
    reset: () => call('reset', {}),
  }
}

/**
 * Reads a list page by page, up to `limit` items.
 * @param name the member of a page that holds its items
 * @param read reads up to `wanted` items after the item `last`
 */
async function everyItem<Name extends string, Item>(
  name: Name,
  read: (
    last: string | undefined,
    wanted: number,
  ) => Promise<Readonly<Record<Name, readonly Item[]>> & { readonly next?: string | undefined }>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = []
  let last: string | undefined
  do {
    const page = await read(last, limit - items.length)
    items.push(...page[name])
    last = page.next
  } while (last !== undefined && items.length < limit)
  return items
}

/**
 * Prevents an unhandled rejection: a test may fail before it awaits this promise, and then only its
 * own error should be reported.
 */
function quietly<Result>(waiting: Promise<Result>): Promise<Result> {
  waiting.catch(() => {})
  return waiting
}

function noEnding(
  {
    timeoutSeconds,
    since,
    ...filter
  }: FlowFilter & { timeoutSeconds: number; since: string | undefined },
  last: string,
): SandboxError {
  const matching = Object.keys(filter).length === 0 ? '' : ` that matches ${JSON.stringify(filter)}`
  const after = since === undefined ? 'the call' : since
  const hint =
    since !== undefined || last === 'f0'
      ? ''
      : `; ${last} had ended before: call ended() before what ends the flow, or give it since: await flows.mark()`
  const message = `no flow${matching} ended within ${timeoutSeconds} s after ${after}${hint}`
  return new SandboxError(message, { status: 0, error: 'timeout' })
}

function flowOf(outcome: string | undefined): CallName {
  const flows = OUTCOMES.filter((row) => row.name === outcome).map((row) => row.flow)
  const [first = 'use'] = flows
  return flows.includes('use') ? 'use' : first
}
